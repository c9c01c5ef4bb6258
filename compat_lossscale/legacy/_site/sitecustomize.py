# SPDX-License-Identifier: Apache-2.0
"""What an interpreter imports first that `compat-lossscale run` starts, or that its program starts.

Python imports a module of this name when it starts, and this folder is first on its path. See
https://docs.python.org/3/library/site.html#module-sitecustomize
"""

import os
import sys


def _start() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  # no pathlib here
    root = os.path.dirname(os.path.dirname(os.path.dirname(folder)))  # noqa: PTH120  # as above
    sys.path[:] = [place for place in sys.path if place != folder]
    sys.path_importer_cache.pop(folder, None)
    said = os.environ.get("COMPAT_LOSSSCALE_RUN", "").split(os.pathsep)
    if said[:2] != [sys.prefix, str(sys.hexversion)]:
        return
    # Where this file is from, whatever else is on the path.
    sys.path.insert(0, root)
    try:
        from compat_lossscale.legacy import startup  # noqa: PLC0415  # only if asked for
    finally:
        sys.path.remove(root)
    startup.install_when_imported("`compat-lossscale run`", **dict.fromkeys(said[2:], True))


_start()
# The environment may have such a module of its own. Without one, Python expects this error.
del sys.modules[__name__]
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401  # the user's
