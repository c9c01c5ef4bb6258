# SPDX-License-Identifier: Apache-2.0
import tensorflow as tf

__all__ = ["tf"]
