# SPDX-License-Identifier: Apache-2.0
"""The page of each rule: what the rule does and why, and examples, which are tests as well.

The pages are Markdown, in `rules/pages`. They show what a rule changes as a diff.
"""

from __future__ import annotations

import dataclasses
import importlib.resources
import inspect
import re
import textwrap
from collections.abc import Iterator

from lossscale_codemods import rules
from lossscale_codemods.rules.base import Rule
from lossscale_codemods.rules.registry import all_rules
from lossscale_codemods.tables.suppression import FORMER_IDS

CHANGED, NOT_HANDLED = "Before and after", "Not handled"
"""Headings of a page: what the rule rewrites by default, and what it reports."""
_EXAMPLE = re.compile(
    r"(?P<unsafe>With `--unsafe-fixes`:\n\n)?```(?P<kind>diff|python)\n(?P<lines>.*?)```\n"
    r"(?:\nReported(?: with `(?P<option>--[a-z-]+)`)?: (?P<finding>[^\n]+)\n)?",
    re.DOTALL,
)


@dataclasses.dataclass(frozen=True)
class Example:
    """A program before and after a rule, or one that the rule leaves.

    Attributes:
        shown: How the page shows it.
        before: The program as it was.
        after: What becomes of it.
        finding: What is reported, if something is.
        option: The option that it is migrated with, if there is one.
    """

    shown: str
    before: str
    after: str
    finding: str = ""
    option: str = ""


def documentation(rule: Rule) -> str:
    """Returns what a rule does and why, and what its rows say, if it has a table."""
    rows = (textwrap.fill(f"- {one}", 100, subsequent_indent="  ") for one in rule.says)
    return "\n".join([_page(rule)[0].rstrip(), "", *rows]).rstrip()


def section(rule: Rule, heading: str) -> str:
    """Returns a section of a rule's page; an empty text if the page has none of this heading."""
    texts = dict(one.split("\n\n", 1) for one in _page(rule)[1:])
    return texts.get(heading, "")


def examples(text: str) -> Iterator[Example]:
    """Yields the examples of a section in the order in which they stand."""
    for found in _EXAMPLE.finditer(text):
        lines = found["lines"].splitlines(keepends=True)
        before = after = found["lines"]
        if found["kind"] == "diff":
            before = "".join(one[1:] or one for one in lines if one[0] != "+")
            after = "".join(one[1:] or one for one in lines if one[0] != "-")
        option = "--unsafe-fixes" if found["unsafe"] else found["option"] or ""
        yield Example(found["lines"], before, after, found["finding"] or "", option)


def explain(rule_id: str) -> str | None:
    """Returns a rule's page as Markdown; nothing if there is no such rule."""
    now = FORMER_IDS.get(rule_id, rule_id)
    rule = next((rule for rule in all_rules() if rule.id == now), None)
    if rule is None:
        return None
    parts = [f"# {rule.id}: {rule.title}", documentation(rule)]
    if now != rule_id:
        parts.insert(0, f"{rule_id} is a part of {now} now.")
    return "\n\n".join([*parts, *(f"## {one}" for one in _page(rule)[1:])])


def _page(rule: Rule) -> list[str]:
    """Returns the parts of a rule's page; the docstring of a rule that has no page."""
    file = importlib.resources.files(rules) / "pages" / f"{rule.id.lower()}.md"
    page = file.read_text("utf-8") if file.is_file() else f"{inspect.getdoc(type(rule))}\n"
    return page.split("\n## ")
