# SPDX-License-Identifier: Apache-2.0
"""The recorder as a module. No module of the package imports it: it is a program."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

from tests.support import REPOSITORY

RECORDER = REPOSITORY / "compat_lossscale" / "recording" / "recorder.py"


@functools.cache
def recorder() -> Any:
    """Loads the recorder from its file."""
    spec = importlib.util.spec_from_file_location("lossscale_recorder", RECORDER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
