# SPDX-License-Identifier: Apache-2.0
"""On what a benchmark ran."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

_PACKAGES = ("tensorflow", "tf-keras", "keras", "jax", "libcst")


def description() -> dict[str, object]:
    """Processor, memory, system and versions, for a results file."""
    return {
        "processor": _processor(),
        "processors": len(os.sched_getaffinity(0)),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "load_before": os.getloadavg()[0],
    }


def sentences(machine: dict[str, Any]) -> str:
    """Returns what a page says about the machine.

    Args:
        machine: A description from a results file.
    """
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    return (
        f"{machine['processor']}, {machine['processors']} processors, {machine['memory_gb']} GB, "
        f"Python {machine['python']}, {packages}. Load average at the start: "
        f"{machine['load_before']:.1f}."
    )


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
