# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration. Writes tables from rulings, on traces, expressions and upstream's tests."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_USE_LEGACY_KERAS"] = "1"

sys.path.insert(0, str(Path(__file__).parent))

from console_lexer import ConsoleLexer  # beside this file

from compat_lossscale import __version__  # after the environment is set

HERE = Path(__file__).parent
GOLDENS = HERE.parent / "tests" / "goldens"
RULINGS = GOLDENS / "differences.json"
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
    # The class that a class method is called on.
    ("py:class", r"compat_lossscale\.members\.optimizer\._\w+"),
]
html_theme = "furo"
html_title = f"{project} {release}"
html_static_path = ["_static"]
html_css_files = ["page.css"]
exclude_patterns = ["_build", "_generated"]
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "description"


def setup(app: Any) -> None:
    """Registers what Sphinx has not: colours for diffs in console output."""
    app.add_lexer("console", ConsoleLexer)


def write_differences() -> None:
    """Writes one table row for each observation on which the old versions disagree."""
    rows = ["| Program | Observation | Version followed | Why |", "| --- | --- | --- | --- |"]
    for ruling in json.loads(RULINGS.read_text(encoding="utf-8")):
        side = {"both": "all of them", "any": "any of them"}.get(ruling["side"], ruling["side"])
        rows.append(
            f"| `{ruling['scenario']}` | `{ruling['key']}` | {side} | {_in_cell(ruling['why'])} |"
        )
    _write("differences.md", rows)


def write_sweep() -> None:
    """Writes one table row for each reason why small expressions give something else."""
    rows = ["| Example | Differs from | Same as | Why |", "| --- | --- | --- | --- |"]
    for ruling in json.loads((GOLDENS / "sweep" / "rulings.json").read_text(encoding="utf-8")):
        versions = ruling["versions"]
        recorded = GOLDENS / "sweep" / "results" / f"{versions[0]}.json"
        example = next(
            expression
            for expression in json.loads(recorded.read_text(encoding="utf-8"))
            if re.fullmatch(ruling["expressions"], expression)
        )
        side = {"own": "none"}.get(ruling["side"], ruling["side"])
        why = _in_cell(ruling["why"])
        rows.append(f"| `{_in_cell(example)}` | {', '.join(versions)} | {side} | {why} |")
    _write("sweep.md", rows)


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
write_sweep()
write_upstream()
