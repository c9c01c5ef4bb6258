# SPDX-License-Identifier: Apache-2.0
"""Compares messages by what they say: their wording may change, their facts may not."""

from __future__ import annotations

import re

FACT = re.compile(
    r"""`[^`]+`|"[^"]+"|'[^']+'|--?[a-z][\w-]*|\S*[\d_=/<>\[\](){}*]\S*\w|\w*[a-z][A-Z]\w*"""
    r"""|\w+\.\w[\w.]*"""
)
"""What a reader needs to the letter: names, options, paths, values."""


def says(message: str, expected: str) -> bool:
    """Whether a message has the expected facts, in about the same words.

    It must still say what was wrong, where, and what to do.

    Args:
        message: The message.
        expected: What it should say; `...` stands for words that are not ours.
    """
    parts = expected.split("...")
    facts = [fact for part in parts for fact in FACT.findall(part)]
    return all(fact in message for fact in facts) and shared(expected, message) >= 0.6


def shared(expected: str, message: str) -> float:
    """Returns the share of the words of one text that another text has."""
    words, others = (set(re.findall("[a-z]+", text.lower())) for text in (expected, message))
    return len(words & others) / len(words)
