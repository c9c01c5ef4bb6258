# SPDX-License-Identifier: Apache-2.0
"""Which arguments a function or method takes by keyword."""

from __future__ import annotations

from typing import Any

from compat_lossscale.optimizers.signatures import accepts


class Example:
    def named(self, one: Any, flag: bool = False) -> None: ...

    def any(self, one: Any, **kwargs: Any) -> None: ...


def test_an_argument_is_taken_by_its_name() -> None:
    assert accepts(Example().named, "flag")
    assert accepts(Example.named, "flag")
    assert not accepts(Example().named, "other")


def test_keyword_arguments_take_any_name() -> None:
    assert accepts(Example().any, "other")
    assert accepts(lambda **options: None, "other")
