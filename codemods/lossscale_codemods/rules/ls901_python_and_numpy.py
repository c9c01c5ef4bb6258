# SPDX-License-Identifier: Apache-2.0
"""Removed names of NumPy and Python become the current names for the same objects.

`np.float` was Python's `float`, `np.Inf` is `np.inf`, and `collections.Mapping` is in
`collections.abc`. Old programs use such names, and would fail at them after the migration. Some
names have an equivalent for some uses only: `np.asscalar(a)` in a call, and `inspect.getargspec` if
the program reads only `args`, `varargs` or `defaults` of its result. If no current name does the
same, the rule reports the name and what new code uses. Names behind `try` or `hasattr`, and in
branches for Python 2, stay.

LS901 to LS904 look at files with old names, and at files that run in the same program. With
`--select LS9`, they look at all files. `--target compat` makes no difference, because
`compat_lossscale` does not have these names: only `compat-lossscale run` restores them. The table
of [neighbours](../neighbours.md) lists the names.
"""

from __future__ import annotations

from compat_lossscale.neighbour_names import TABLE
from lossscale_codemods.rules.base import Case
from lossscale_codemods.rules.shared.neighbour_rule import NeighbourRule
from lossscale_codemods.rules.shared.neighbour_uses import markers

_ROOTS = frozenset(one.name.partition(".")[0] for one in TABLE) - {"tensorflow"}
_HEAD = "import numpy as np\nimport tensorflow as tf\n"
_OLD = f"{_HEAD}tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
_NEW = f"{_HEAD}tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"


class PythonAndNumpy(NeighbourRule):
    """Respells names of Python's standard library and of numpy."""

    id = "LS901"
    title = "Removed names of NumPy and Python"
    group_markers = markers(_ROOTS)
    shows_imports = True
    not_handled = "Names of numpy or Python that a file gets from another file which imports them."
    invalid = (
        Case(
            f"{_OLD}x = np.zeros((2, 2), np.float)\nworst = np.Inf\nlowest = np.NINF\n",
            f"{_NEW}x = np.zeros((2, 2), float)\nworst = np.inf\nlowest = -np.inf\n",
        ),
        Case(
            "from collections import Mapping, OrderedDict\n"
            f"{_OLD}print(isinstance(OrderedDict(), Mapping), np.asscalar(np.ones(1)))\n",
            "from collections import OrderedDict\nfrom collections.abc import Mapping\n"
            f"{_NEW}print(isinstance(OrderedDict(), Mapping), np.asarray(np.ones(1)).item())\n",
        ),
    )
    valid = (
        Case(
            f"import imp\n{_OLD}config = imp.load_source('config', 'config.py')\n",
            f"import imp\n{_NEW}config = imp.load_source('config', 'config.py')\n",
            review="In new code: importlib",
        ),
        Case(
            "try:\n    from collections import Mapping\n"
            f"except ImportError:\n    from collections.abc import Mapping\n{_OLD}",
            "try:\n    from collections import Mapping\n"
            f"except ImportError:\n    from collections.abc import Mapping\n{_NEW}",
        ),
        Case(
            f"{_OLD}number = np.float if hasattr(np, 'float') else float\nprint(number(1))\n",
            f"{_NEW}number = np.float if hasattr(np, 'float') else float\nprint(number(1))\n",
        ),
    )

    def is_mine(self, path: str) -> bool:
        """Whether it is of numpy, of Python's own modules, or of setuptools."""
        return path.partition(".")[0] in _ROOTS
