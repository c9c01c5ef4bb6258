# SPDX-License-Identifier: Apache-2.0
"""Reads a page without a browser: its elements, its text, and whatever it would load."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "img", "link", "hr", "rect"}
FETCHING = {"link", "img", "iframe", "object", "embed", "base"}
IN_STYLE = ("url(", "@import", "@font-face")
LOADING = {"src", "srcset", "poster", "background", "data", "action", "formaction", "manifest"}


@dataclasses.dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""


class Page(HTMLParser):
    """The elements of a page, in order; unbalanced tags are an error."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.feed(html)
        self.close()
        assert not self.open, [element.tag for element in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def all(self, tag: str, css: str | None = None) -> list[Element]:
        """The elements of a kind, with a class if one is given."""
        return [
            element
            for element in self.elements
            if element.tag == tag
            and (css is None or css in element.attributes.get("class", "").split())
        ]

    def loaded(self) -> list[str]:
        """What a browser would fetch."""
        found = [e.tag for e in self.elements if e.tag in FETCHING]
        for element in self.elements:
            found += [f"{k}={v}" for k, v in element.attributes.items() if k in LOADING]
            if element.tag == "style":
                found += [
                    word for word in ("url(", "@import", "@font-face") if word in element.text
                ]
        return found

    def handlers(self) -> list[str]:
        """Attributes that hold script, or style that the page's policy would refuse."""
        return [
            name
            for element in self.elements
            for name, value in element.attributes.items()
            if name.startswith("on") or name == "style" or value.lower().startswith("javascript:")
        ]
