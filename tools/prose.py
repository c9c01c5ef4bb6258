# SPDX-License-Identifier: Apache-2.0
"""Checks prose for plain words: documentation, docstrings, comments and messages.

    python tools/prose.py [FILE ...]

Follows the word list of the Google developer documentation style guide, with the words besides that
this project's authors are prone to: https://developers.google.com/style/word-list
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

USE_INSTEAD = {
    "amongst": "among",
    "anew": "again",
    "as it were": "nothing",
    "at hand": "the thing itself",
    "e.g.": "for example",
    "etc.": "and so on",
    "failed without a word": "failed silently",
    "for ever": "forever",
    "for want of": "without, because there is no",
    "forthwith": "immediately",
    "hereby": "nothing",
    "i.e.": "that is",
    "in order to": "to",
    "is none of": "is not one of",
    "is said": "the active voice",
    "just as": "as",
    "leverage": "use",
    "lest": "so that ... not",
    "may not be looked at": "cannot be read",
    "obviously": "nothing",
    "of course": "nothing",
    "once more": "again",
    "passed over in silence": "skipped silently",
    "please": "nothing; tell the reader what to do",
    "renew what": "update",
    "renews what": "updates",
    "shall": "must, will",
    "simply": "nothing",
    "spoken of": "mentioned",
    "thereby": "by this",
    "therein": "in it",
    "thereof": "of it",
    "told apart": "distinguished",
    "upon": "on",
    "utilize": "use",
    "very": "nothing",
    "wherein": "in which",
    "whilst": "while",
    "without a word": "silently",
}
"""What to write in place of each word; "nothing" is to leave it out."""

_WORDS = re.compile(
    r"(?<![\w`./-])(" + "|".join(map(re.escape, USE_INSTEAD)) + r")(?![\w`])", re.IGNORECASE
)
_GENERATED = ("docs/codemod/rules/", "docs/names.md", "docs/neighbours.md")
_CHECKED = (
    "*.md",
    "Makefile",
    ".ci/run",
    "compat_lossscale/*.py",
    "codemods/*.py",
    "codemods/*.toml",
    "tools/*.py",
)
_KEEP = "prose: keep"


def problems(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields the words of a text that have a plainer one.

    Args:
        text: Prose, or source with prose in it. Lines with `prose: keep` are left out.

    Yields:
        The line, from 1; the word; what to write instead.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if _KEEP not in line:
            for match in _WORDS.finditer(line):
                yield number, match[1], USE_INSTEAD[match[1].lower()]


def main(arguments: list[str] | None = None) -> int:
    """Prints what is found; returns 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    files: list[Path] = parser.parse_args(arguments).files or _checked_files()
    count = 0
    for file in files:
        for line, word, instead in problems(file.read_text(encoding="utf-8")):
            print(f"{file}:{line}: {word!r}: write {instead}")
            count += 1
    return int(count > 0)


def _checked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *_CHECKED], check=True, capture_output=True, text=True
    ).stdout
    own = Path(__file__).name
    names = (name for name in listed.split("\0") if name and not name.startswith("tests/"))
    return [
        Path(name) for name in names if not name.startswith(_GENERATED) and Path(name).name != own
    ]


if __name__ == "__main__":
    sys.exit(main())
