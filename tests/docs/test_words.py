# SPDX-License-Identifier: Apache-2.0
"""The documentation stays short enough to be read."""

from __future__ import annotations

import re

import pytest

from tests.docs.fences import ROOT
from tests.docs.test_pages import PAGES
from tools import tree

AT_MOST = 30_000
OF_A_TOPIC = 400
TOPICS = ("accumulate", "learning-rate", "horovod", "train-step", "after")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_INCLUDE = re.compile(r"^```\{include\} (\S+)$", re.MULTILINE)


def words(page: str) -> int:
    """How many words a page shows, with the files that it includes."""
    text = (ROOT / page).read_text("utf-8")
    included = [name for name in _INCLUDE.findall(text) if not name.endswith("README.md")]
    count = len(_COMMENT.sub("", text).split())
    for name in included:
        is_made = name.startswith("_generated/")
        file = (ROOT / page).parent / name
        count += len((tree.table() if is_made else file.read_text("utf-8")).split())
    return count


def test_the_documentation_does_not_grow() -> None:
    shown = [page for page in PAGES if page.startswith("docs/") or page == "README.md"]
    # The changelog is a page too, and grows with each release.
    assert sum(words(page) for page in shown if page != "docs/changelog.md") <= AT_MOST


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_on_one_topic_is_short(topic: str) -> None:
    text = (ROOT / "docs" / f"{topic}.md").read_text("utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) <= OF_A_TOPIC
