# SPDX-License-Identifier: Apache-2.0
"""The proofs refuse wrong changes, and what cannot be proven is left alone and said."""

from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, Status, migrate_source, proofs
from lossscale_codemods.proofs import same_meaning
from lossscale_codemods.verdict import MeaningClaim

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'dynamic'", "A(opt)"),
        ("128", "A(opt, dynamic=False, initial_scale=128)"),
        ("x", "A(opt, **_loss_scale_arguments(x))"),
        ("x if y else 8", "A(o, **_loss_scale_arguments(x if y else 8))"),
        ("D(x, y)", "A(o, initial_scale=x, dynamic_growth_steps=y)"),
        ("D(multiplier=2.0)", "A(o)"),
        ("F(f(x))", "A(inner_optimizer=g(), dynamic=False, initial_scale=f(x))"),
        ("'dynamic' if a else 8", "A(o) if a else A(o, dynamic=False, initial_scale=8)"),
    ],
)
def test_what_means_the_same(old: str, new: str) -> None:
    claim = MeaningClaim(old, {}, {"D": "DynamicLossScale", "F": "FixedLossScale"})
    assert same_meaning(claim, new) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'dynamic'", "A(opt, initial_scale=8)"),
        ("128", "A(opt, initial_scale=128)"),
        ("128", "A(opt, dynamic=False, initial_scale=127)"),
        ("x", "A(opt)"),
        ("x", "A(opt, dynamic=False, initial_scale=x)"),
        ("x", "A(opt, dynamic=x == 'dynamic', initial_scale=None if x == 'dynamic' else x)"),
        ("D(x, y)", "A(o, initial_scale=y, dynamic_growth_steps=x)"),
        ("D(x)", "A(o, initial_scale=x, dynamic_growth_steps=100)"),
        ("D(multiplier=4)", "A(o)"),
        ("'dynamic' if a else 8", "A(o, dynamic=False, initial_scale=8) if a else A(o)"),
        ("None", "A(o)"),
        ("x", "x"),
        ("(", "A(o)"),
    ],
)
def test_what_does_not(old: str, new: str) -> None:
    claim = MeaningClaim(old, {}, {"D": "DynamicLossScale", "F": "FixedLossScale"})
    assert same_meaning(claim, new) is not None


def test_variables_are_followed() -> None:
    inline = "A(o, dynamic=x == 'dynamic', initial_scale=None if x == 'dynamic' else x)"
    assert same_meaning(MeaningClaim("x", {"x": ["'dynamic'", "8"]}), inline) is None
    assert same_meaning(MeaningClaim("x", {"x": ["'dynamic'", "z"]}), inline) is not None
    assert same_meaning(MeaningClaim("x", {"x": ["y"], "y": ["'dynamic'"]}), "A(o)") is None


@pytest.mark.parametrize(
    "source",
    [
        b"import tensorflow as tf\r\x0ctf.keras.mixed_precision.experimental.set_policy('x')\r",
        b"import tensorflow as tf\rtf.keras.mixed_precision.experimental.set_policy('x')\r",
    ],
)
def test_a_file_that_does_not_round_trip_is_refused(source: bytes) -> None:
    result = migrate_source(source)
    assert result.status is Status.REFUSED
    assert result.output is source
    assert "parser does not keep" in result.problem
    assert result.count(Outcome.NEEDS_REVIEW) == 1


@pytest.mark.parametrize(
    ("attribute", "replacement", "message"),
    [
        ("_compiles", lambda *_: "The result would not compile: x.", "not compile"),
        ("unbound_names", iter([set(), {"x"}][::-1]).__next__, "nothing binds: x"),
    ],
)
def test_a_file_that_fails_a_proof_is_left(
    monkeypatch: pytest.MonkeyPatch, attribute: str, replacement: object, message: str
) -> None:
    if attribute == "unbound_names":
        answers = iter([{"x"}, set()])
        replacement = lambda _: next(answers)  # noqa: E731
    monkeypatch.setattr(proofs, attribute, replacement)
    result = migrate_source(OLD)
    assert result.status is Status.REFUSED
    assert result.text == OLD
    assert message in result.problem


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"x = (mixed_precision.experimental", "does not parse"),
        (b"print 'x'\nmixed_precision.experimental\n", "Python 2"),
        (b"# -*- coding: nonsense -*-\nmixed_precision.experimental\n", "cannot be decoded"),
        (b"x = '\xe9' # mixed_precision.experimental\n", "cannot be decoded"),
        (b"x = 1\0 # mixed_precision.experimental\n", "does not parse"),
    ],
)
def test_what_cannot_be_read_is_said(source: bytes, problem: str) -> None:
    result = migrate_source(source)
    assert result.status is Status.UNREADABLE
    assert problem in result.problem
    assert result.output is source


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "shift-jis"])
def test_encodings(encoding: str) -> None:
    name = "utf-8" if encoding.startswith("utf") else encoding
    text = "é" if encoding != "shift-jis" else "あ"
    before = (
        f"# -*- coding: {name} -*-\nx = '{text}'; "
        + OLD.split("\n", maxsplit=1)[0]
        + "\n"
        + OLD.split("\n")[1]
    )
    result = migrate_source(before.encode(encoding))
    after = before.replace("experimental.set_policy", "set_global_policy")
    assert result.output == after.encode(encoding)
