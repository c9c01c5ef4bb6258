# SPDX-License-Identifier: Apache-2.0
"""Every generation of TensorFlow's loss-scale optimizer, on today's TensorFlow."""
