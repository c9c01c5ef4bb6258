# SPDX-License-Identifier: Apache-2.0
"""The proofs refuse wrong changes, and what cannot be proven is left alone and said."""

from __future__ import annotations

import pytest
from lossscale_codemods import Outcome, Status, migrate_source
from lossscale_codemods.domain import LossScaleType
from lossscale_codemods.domain.program import Program
from lossscale_codemods.rewriting import engine
from lossscale_codemods.rewriting.engine import same_meaning
from lossscale_codemods.rewriting.resolution import Outcomes, ProvenCall
from lossscale_codemods.rules.base import MeaningClaim
from lossscale_codemods.source.syntax_tree import tree_of
from lossscale_codemods.tables.records import Edit

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"


def claim_of(old: str) -> MeaningClaim:
    classes = {"D(": "DynamicLossScale", "F(": "FixedLossScale"}
    return MeaningClaim(old, frozenset({LossScaleType.UNKNOWN}), classes.get(old[:2], ""))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'dynamic'", "A(opt)"),
        ("128", "A(opt, dynamic=False, initial_scale=128)"),
        ("x", "A(opt, **_loss_scale_arguments(x))"),
        ("x if y else 8", "A(o, **_loss_scale_arguments(x if y else 8))"),
        ("v1.D() if y else 8", "A(o, **_loss_scale_arguments(v2.D() if y else 8))"),
        ("D(x, y)", "A(o, initial_scale=x, dynamic_growth_steps=y)"),
        ("D(multiplier=2.0)", "A(o)"),
        ("F(f(x))", "A(inner_optimizer=g(), dynamic=False, initial_scale=f(x))"),
    ],
)
def test_what_means_the_same(old: str, new: str) -> None:
    claim = claim_of(old)
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
    claim = claim_of(old)
    assert same_meaning(claim, new) is not None


def test_what_a_variable_can_be_decides() -> None:
    dynamic, number = frozenset({LossScaleType.DYNAMIC}), frozenset({LossScaleType.NUMBER})
    helped, of_both = "A(o, **_dynamic_or_fixed(x))", MeaningClaim("x", dynamic | number)
    assert same_meaning(of_both, helped) is None
    assert same_meaning(claim_of("x"), helped) is not None
    assert same_meaning(MeaningClaim("x", dynamic), "A(o)") is None
    assert same_meaning(MeaningClaim("x", number), "A(o)") is not None
    assert same_meaning(MeaningClaim("x", number), "A(o, dynamic=False, initial_scale=x)") is None


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


def test_a_file_that_fails_a_proof_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "failed_proof", lambda *_: "It would be wrong.")
    result = migrate_source(OLD)
    assert (result.status, result.problem) == (Status.REFUSED, "It would be wrong.")
    assert result.text == OLD


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


def refused(before: str, after: str, left: int = 0, source: bytes | None = None) -> str | None:
    """Why a result of someone's careless hand may not be written."""
    original = Program(tree_of(before))
    result = Program(tree_of(after), source=source)
    return engine.failed_proof(original, result, Outcomes(left=left))


NEW = OLD.replace("experimental.set_policy", "set_global_policy")


@pytest.mark.parametrize(
    ("after", "left", "reason"),
    [
        ("return\n", 0, "The result would not compile"),
        (NEW.replace("tf.keras", "tff.keras"), 0, "names that nothing binds: tff."),
        (f"import os\n{NEW}", 0, "names that nothing uses: os."),
        (OLD, 0, "0 old names were to be left as they are, but the result has 1"),
        (NEW, 1, "1 old names were to be left as they are, but the result has 0"),
    ],
)
def test_a_result_is_refused(after: str, left: int, reason: str) -> None:
    assert reason in (refused(OLD, after, left) or "")


def test_a_result_that_is_right_passes() -> None:
    assert refused(OLD, NEW) is None
    assert refused(f"import os\n{OLD}", f"import os\n{NEW}") is None


def test_a_result_that_the_parser_does_not_keep_is_refused() -> None:
    assert "does not round-trip" in (refused(OLD, NEW, source=NEW.encode() + b"\n") or "")


def test_a_constructor_that_means_something_else_is_refused() -> None:
    before = (
        "import tensorflow as tf\n"
        "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 8)\n"
    )
    after = before.replace("experimental.", "").replace(", 8)", ")")
    original, result = (Program(tree_of(source)) for source in (before, after))
    span = (before.index("tf.keras"), len(before) - 1)
    edits = [
        Edit(before.index("experimental."), before.index("LossScale"), ""),
        Edit(before.index(", 8)"), before.index(")"), ""),
    ]
    call = ProvenCall(span, edits, MeaningClaim("8"))
    outcomes = Outcomes(edits=edits, calls=[call])
    problem = engine.failed_proof(original, result, outcomes) or ""
    assert problem.startswith("The constructor on line 2 would not mean the same:")
