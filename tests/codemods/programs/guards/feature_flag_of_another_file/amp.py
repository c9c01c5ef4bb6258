# SPDX-License-Identifier: Apache-2.0

try:
    from tensorflow.keras.mixed_precision import experimental as mp

    HAS_AMP = True
except ImportError:
    mp = None
    HAS_AMP = False
