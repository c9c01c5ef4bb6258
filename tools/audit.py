# SPDX-License-Identifier: Apache-2.0
"""Asks for known vulnerabilities in what a lock file pins, and says so if nobody can be asked.

    python tools/audit.py requirements/dev.txt ... [--require]

Where the service that pip-audit asks is not reachable, or a mirror without its data is in its
place, pip-audit finds nothing and is content. So it is first asked about a package whose
vulnerabilities have been known for years. If it finds none there, nothing has been audited: that is
printed, and is a failure with `--require` only, for a machine without the service must be able
to build.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KNOWN = "jinja2==2.4.1"
"""Has had vulnerabilities since 2014, CVE-2014-1402 among them."""


def main() -> int:
    """Runs from the command line. Returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("locks", nargs="+", type=Path)
    parser.add_argument("--require", action="store_true", help="fail if nobody can be asked")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        known = Path(folder, "known.txt")
        known.write_text(f"{KNOWN}\n")
        found = audit(known)
    if not found or not found[0].get("vulns"):
        print(
            f"NOT AUDITED: asked about {KNOWN}, which has known vulnerabilities, the service "
            "named none, so its silence says nothing about the rest. Is it reachable from here?"
        )
        return int(options.require)
    return max(report(lock) for lock in options.locks)


def report(lock: Path) -> int:
    """Prints what is known about a lock file's packages. Returns the exit code."""
    found = audit(lock)
    if not found:
        print(f"{lock}: pip-audit failed")
        return 1
    unknown = [package["name"] for package in found if "skip_reason" in package]
    vulnerable = [package for package in found if package.get("vulns")]
    print(f"{lock}: {len(found)} packages, {len(vulnerable)} vulnerable, {len(unknown)} unknown")
    for package in vulnerable:
        ids = ", ".join(vulnerability["id"] for vulnerability in package["vulns"])
        print(f"  {package['name']} {package['version']}: {ids}")
    for name in unknown:
        print(f"  {name}: the service does not know it")
    return int(bool(vulnerable or unknown))


def audit(requirements: Path) -> list[dict[str, Any]]:
    """Returns what pip-audit says of each package; nothing if it fails."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--requirement", str(requirements)),
            *("--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return []
    return packages


if __name__ == "__main__":
    raise SystemExit(main())
