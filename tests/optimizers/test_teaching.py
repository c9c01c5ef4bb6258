# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from compat_lossscale.optimizers import (
    keras_is_taught,
    saving,
    teach_keras,
    teaching,
    unteach_keras,
)


def test_a_function_is_taught_once_and_forgets_at_once() -> None:
    module = types.SimpleNamespace(f=lambda x: x + 1)
    original = module.f

    def doubled(function: Callable[[int], int], x: int) -> int:
        return 2 * function(x)

    lessons: list[teaching.Lesson] = [(module, "f", doubled)]
    assert not teaching.is_taught(lessons)
    for _ in range(2):
        teaching.teach(lessons)
        assert module.f(3) == 8
        assert teaching.is_taught(lessons)
    for _ in range(2):
        teaching.unteach(lessons)
        assert module.f is original
        assert not teaching.is_taught(lessons)


def test_what_keras_is_taught_can_be_taken_back_and_repeated() -> None:
    def found() -> list[Any]:
        return [getattr(module, name) for module, name, _ in saving.LESSONS]

    taught = found()
    teach_keras()
    assert found() == taught
    unteach_keras()
    try:
        assert not keras_is_taught()
        assert not set(found()) & set(taught)
        assert all(function.__module__.startswith("tf_keras") for function in found())
    finally:
        teach_keras()
    assert keras_is_taught()
