# SPDX-License-Identifier: Apache-2.0
"""Window functions, which SciPy 1.13 left in `scipy.signal.windows` only.

https://docs.scipy.org/doc/scipy/release/1.13.0-notes.html
"""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import THE_SAME, Neighbour

_WINDOWS = (
    *("barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "chebwin"),
    *("cosine", "exponential", "flattop", "gaussian", "general_gaussian", "hamming", "hann"),
    *("kaiser", "nuttall", "parzen", "triang", "tukey"),
)

NEIGHBOURS = tuple(
    Neighbour(
        f"scipy.signal.{name}",
        "SciPy 1.12",
        f"scipy.signal.windows:{name}",
        THE_SAME,
        f"scipy.signal.windows.{name}",
    )
    for name in _WINDOWS
)
