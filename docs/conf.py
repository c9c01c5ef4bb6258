# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration. Two tables are written from rulings: on traces and on upstream's tests."""

import json
import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_USE_LEGACY_KERAS"] = "1"

from compat_lossscale import __version__  # after the environment is set

HERE = Path(__file__).parent
RULINGS = HERE.parent / "tests" / "goldens" / "differences.json"
UPSTREAM_RULINGS = HERE.parent / "tests" / "upstream" / "rulings.json"

project = "compat-lossscale"
copyright = "compat-lossscale developers"  # noqa: A001  # Sphinx' name
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
default_role = "code"
nitpicky = True
nitpick_ignore_regex = [
    # What other projects document.
    ("py:.*", r"(tensorflow|tf_keras|collections|os|pathlib|matplotlib)\..*|Path|Figure"),
    # Types of arguments that their descriptions explain.
    ("py:.*", r"Target|RelativeImports"),
]
html_theme = "furo"
exclude_patterns = ["_build", "_generated"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"


def write_differences() -> None:
    """Writes one table row for each observation on which the old versions disagree."""
    rows = ["| Program | Observation | Side taken | Why |", "| --- | --- | --- | --- |"]
    for ruling in json.loads(RULINGS.read_text(encoding="utf-8")):
        side = {"both": "all of them", "any": "any of them"}.get(ruling["side"], ruling["side"])
        rows.append(
            f"| `{ruling['scenario']}` | `{ruling['key']}` | {side} | {_in_cell(ruling['why'])} |"
        )
    _write("differences.md", rows)


def write_upstream() -> None:
    """Writes one table row for each reason for which upstream's tests fail."""
    rows = ["| Test file | Tests | Why they fail |", "| --- | --- | --- |"]
    for ruling in json.loads(UPSTREAM_RULINGS.read_text(encoding="utf-8")):
        files, tests = (
            "<br>".join(f"`{name}`" for name in ruling[key]) for key in ("runs", "tests")
        )
        rows.append(f"| {files} | {tests} | {_in_cell(ruling['why'])} |")
    _write("upstream.md", rows)


def _write(name: str, rows: list[str]) -> None:
    target = HERE / "_generated" / name
    target.parent.mkdir(exist_ok=True)
    target.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


write_differences()
write_upstream()
