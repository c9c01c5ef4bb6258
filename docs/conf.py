# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration. Writes the table of the packages' rooms."""

import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_USE_LEGACY_KERAS"] = "1"

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from console_lexer import ConsoleLexer  # beside this file

from compat_lossscale import __version__  # after the environment is set
from tools import tree

HERE = Path(__file__).parent

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
    ("py:class", r"lossscale_codemods\.tables\.names\.Target"),
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


def write_rooms() -> None:
    """Writes one table row for each room of the packages."""
    target = HERE / "_generated" / "rooms.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(tree.table(), encoding="utf-8")


write_rooms()
