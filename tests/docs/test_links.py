# SPDX-License-Identifier: Apache-2.0
"""Links between files of the repository lead somewhere. Sphinx sees those within `docs` alone.

What other sites have is not asked here; only whether an address can be one.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from tests.docs.fences import ROOT
from tests.docs.test_pages import PAGES

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
_ADDRESS = re.compile(r"https?://[^\s`\"'<>|)\]]+")
_ISSUE = re.compile(r"\[[\w-]+ (\d+)\]\((https://github\.com/[\w-]+/[\w-]+/\w+/(\d+))\)")
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


@pytest.mark.parametrize("page", PAGES)
def test_addresses_of_other_sites_can_be_some(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for address in _ADDRESS.findall(text):
        parts = urlsplit(address.rstrip(".,:;"))
        assert parts.scheme == "https", address
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc), address
        assert "//" not in parts.path, address
    for number, address, in_address in _ISSUE.findall(text):
        assert number == in_address, address
        assert re.search(r"/(issues|pull|discussions)/\d+$", address), address
