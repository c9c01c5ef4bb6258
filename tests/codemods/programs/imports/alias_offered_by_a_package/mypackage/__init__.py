# SPDX-License-Identifier: Apache-2.0

from tensorflow.keras.mixed_precision import experimental as mp
