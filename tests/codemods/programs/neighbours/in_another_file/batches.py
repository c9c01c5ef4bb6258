# SPDX-License-Identifier: Apache-2.0
import collections

import numpy as np

Batches = collections.Iterable


def batches():
    yield from np.array([1.0, np.Inf, 0.5], dtype=np.float).astype("float32")
