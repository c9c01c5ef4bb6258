# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import base64
import hashlib
import itertools
import re
from typing import TYPE_CHECKING

import pytest

from compat_lossscale.pages import page
from tests.support import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATES = REPOSITORY / "compat_lossscale" / "pages" / "templates"
TINTS = ("page", "card", "old", "old-mark", "new", "new-mark", "gap", "warn-tint")
PAIRS = [
    *itertools.product(("ink", "soft", "link"), ("page", "card")),
    *((name, f"{name}-tint") for name in ("good", "warn", "calm", "info", "bad")),
    *((name, "card") for name in ("good", "warn", "calm", "info", "bad")),
    *itertools.product(("ink",), TINTS),
]


def colours(scheme: str) -> dict[str, str]:
    """The colours of the style sheet, as they are with a light or dark preference."""
    style = (TEMPLATES / "page.css").read_text()
    blocks = re.findall(r":root \{([^}]*--page[^}]*)\}", style)
    found = {}
    for block in blocks[: 1 if scheme == "light" else 2]:
        found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
    return found


def luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS, ids=[" on ".join(pair) for pair in PAIRS])
def test_text_stands_out_from_its_ground(scheme: str, text: str, ground: str) -> None:
    known = colours(scheme)
    high, low = sorted((luminance(known[text]), luminance(known[ground])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_the_policy_lets_only_the_pages_own_style_and_script_in() -> None:
    html = page.render("page.html.jinja")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")


def test_a_page_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    page.write(target, "the old one \udcff")
    assert target.read_text() == "the old one ?"

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="No space left"):
        page.write(target, "the new one")
    assert [(f.name, f.read_text()) for f in tmp_path.iterdir()] == [
        ("report.html", "the old one ?")
    ]
