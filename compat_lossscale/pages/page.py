# SPDX-License-Identifier: Apache-2.0
"""Fills in a template, with the style sheet and the script inside, and writes the page."""

from __future__ import annotations

import base64
import functools
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from compat_lossscale._atomic_file import replacing
from compat_lossscale._version import __version__
from compat_lossscale.pages.highlighting import prose, shown

_TEMPLATES = Path(__file__).parent / "templates"


@functools.cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("compat_lossscale.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(prose=prose, shown=shown, number="{:,}".format)
    return made


def render(template: str, **values: Any) -> str:
    """Returns a page.

    Args:
        template: The name of a file in `templates/`.
        **values: The variables of the template.
    """
    style, script = (_own(name) for name in ("page.css", "page.js"))
    return (
        _environment()
        .get_template(template)
        .render(
            values,
            version=__version__,
            style=Markup(style),  # our own file
            script=Markup(script),  # our own file
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


def _own(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Returns the hash of a text for a content security policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def write(path: Path, page: str) -> None:
    """Writes a page completely or not at all.

    Raises:
        OSError: It cannot be written. An existing file is unchanged.
    """
    with replacing(path) as file:
        file.write_bytes(page.encode("utf-8", "replace"))
