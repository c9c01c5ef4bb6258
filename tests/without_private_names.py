# SPDX-License-Identifier: Apache-2.0
"""A plugin for pytest: no private name of TensorFlow and tf-keras is found.

Use it as `python -m pytest -p tests.without_private_names`. It holds in the processes that tests
start, too. The environment variable PRIVATE_NAMES says how the names are missing, `moved`, so
that importing their modules fails (the default), or `renamed`, so that the modules are there and
empty.
"""

from __future__ import annotations

import builtins
import os
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import pytest

from tests import forked_python

PRIVATE = ("tensorflow.python", "tensorflow.core", "tf_keras.src")
MARKER = "needs_private"
_LEFT_OUT = pytest.StashKey[list[pytest.Item]]()


def _moved(module: str) -> types.ModuleType:
    raise ImportError(f"There is no {module!r}, for the tests' sake.")


FAULTS = {"moved": _moved, "renamed": types.ModuleType}


def install() -> None:
    """Makes private names fail from now on, without importing anything of the package."""
    assert "compat_lossscale.optimizers.stock" not in sys.modules, "too late"
    fault = FAULTS[os.environ.get("PRIVATE_NAMES", "moved")]
    failing = types.SimpleNamespace(import_module=fault)
    import_module = builtins.__import__

    def refusing(name: str, globals_: Any = None, *args: Any, **kwargs: Any) -> Any:
        importer = (globals_ or {}).get("__name__") or ""
        if importer.startswith("compat_lossscale") and name.startswith(PRIVATE):
            raise ImportError(f"{importer} imports {name} without a probe")
        found = import_module(name, globals_, *args, **kwargs)
        probing: Any = sys.modules.get("compat_lossscale.core.native")
        if probing is not None:
            probing.importlib = failing
        return found

    builtins.__import__ = refusing


def pytest_configure(config: pytest.Config) -> None:
    """Makes private names fail here and in processes to come."""
    install()
    os.environ[forked_python.FOLDER] = ""  # TensorFlow must not be imported before the names fail.
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    start = f"import runpy\nrunpy.run_path({__file__!r})['install']()\n"
    Path(folder.name, "sitecustomize.py").write_text(start)
    paths = [folder.name, os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what no public name can do."""
    left_out = [item for item in items if item.get_closest_marker(MARKER)]
    config.stash[_LEFT_OUT] = left_out
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Says what was left out and why."""
    for item in config.stash.get(_LEFT_OUT, []):
        marker = item.get_closest_marker(MARKER)
        assert marker is not None
        terminalreporter.write_line(f"LEFT OUT {item.nodeid}: {marker.args[0]}")
