# SPDX-License-Identifier: Apache-2.0
"""Links between files of the repository lead somewhere. Sphinx sees those within `docs` alone."""

from __future__ import annotations

import re

import pytest

from tests.docs.fences import ROOT

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", sorted(path.name for path in ROOT.glob("*.md")))
def test_links_lead_to_files_and_headings(page: str) -> None:
    text = _FENCE.sub("", (ROOT / page).read_text("utf-8"))
    for file, heading in _LINK.findall(text):
        target = ROOT / (file or page)
        assert target.exists(), f"{page} links to {file}, which is not there"
        if heading:
            assert heading in _headings(target.read_text("utf-8"))


def _headings(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}
