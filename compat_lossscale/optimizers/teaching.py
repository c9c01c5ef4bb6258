# SPDX-License-Identifier: Apache-2.0
"""Teaches functions of tf-keras something, and makes them forget it again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

Lesson = tuple[Any, str, Callable[..., Any]]
"""A module, the name of a function in it, and what to call in its place: it is given the function
itself as its first argument, before the function's own."""


def teach(lessons: Iterable[Lesson]) -> None:
    """Puts what each lesson says in place. What is taught already is left alone."""
    for module, name, replacement in lessons:
        if not hasattr(getattr(module, name), "_untaught"):
            setattr(module, name, _taught(getattr(module, name), replacement))


def unteach(lessons: Iterable[Lesson]) -> None:
    """Puts tf-keras' own functions back."""
    for module, name, _ in lessons:
        found = getattr(module, name)
        setattr(module, name, getattr(found, "_untaught", found))


def is_taught(lessons: Iterable[Lesson]) -> bool:
    """Whether all of the lessons are in place."""
    return all(hasattr(getattr(module, name), "_untaught") for module, name, _ in lessons)


def _taught(original: Callable[..., Any], replacement: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def taught(*args: Any, **kwargs: Any) -> Any:
        return replacement(original, *args, **kwargs)

    taught._untaught = original  # type: ignore[attr-defined]  # added here
    return taught
