# SPDX-License-Identifier: Apache-2.0
"""What an expression can hold: known where every way leads to it, unknown where one may not."""

from __future__ import annotations

import libcst as cst
import pytest
from lossscale_codemods.domain.program import Program
from lossscale_codemods.domain.type_inference import ObjectType
from lossscale_codemods.source.syntax_tree import tree_of

from tests.codemods.checks import program

HEAD = """
import tensorflow as tf
old = tf.keras.mixed_precision.experimental
"""
WRAPPED = "old.LossScaleOptimizer(o, 8)"
SGD = "tf.keras.optimizers.SGD()"


def kinds(source: str, expression: str = "x") -> set[ObjectType]:
    """The kinds of an expression that stands at the end of a program."""
    parsed = Program(tree_of(f"{HEAD}{program(source)}\n{expression}\n"))
    line = parsed.tree.module.body[-1]
    assert isinstance(line, cst.SimpleStatementLine)
    assert isinstance(line.body[0], cst.Expr)
    return set(parsed.types.of(line.body[0].value))


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        (WRAPPED, ObjectType.WRAPPER),
        (SGD, ObjectType.KERAS),
        ("tf.compat.v1.train.AdamOptimizer()", ObjectType.V1),
        ("tf.train.experimental.enable_mixed_precision_graph_rewrite(x)", ObjectType.UNKNOWN),
        (f"tf.train.experimental.enable_mixed_precision_graph_rewrite({SGD})", ObjectType.WRAPPER),
        ("old.Policy('float32')", ObjectType.POLICY),
        ("old.global_policy()", ObjectType.POLICY),
        ("tf.mixed_precision.experimental.DynamicLossScale()", ObjectType.LOSS_SCALE),
        ("layer.dtype_policy", ObjectType.POLICY),
        ("None", ObjectType.NOTHING),
        ("[1]", ObjectType.OTHER),
        ("f()", ObjectType.UNKNOWN),
        (f"{WRAPPED}.__class__.from_config(c)", ObjectType.WRAPPER),
        (f"type({SGD}).from_config(c)", ObjectType.KERAS),
        ("f().__class__.from_config(c)", ObjectType.UNKNOWN),
    ],
)
def test_of_an_expression(expression: str, kind: ObjectType) -> None:
    assert kinds("", expression) == kinds(f"x = {expression}") == {kind}


def test_of_what_depends_on_the_way_through_the_program() -> None:
    assert kinds(f"x = None\nif c: x = {WRAPPED}") == {ObjectType.NOTHING, ObjectType.WRAPPER}
    assert kinds(f"x = {WRAPPED} if c else {SGD}") == {ObjectType.WRAPPER, ObjectType.KERAS}
    assert kinds(f"x = y or {SGD}\nif c: x = 3") == {
        ObjectType.UNKNOWN,
        ObjectType.KERAS,
        ObjectType.OTHER,
    }


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (f"def f(): return {WRAPPED}", {ObjectType.WRAPPER}),
        (
            f"def f():\n    if c: return {WRAPPED}\n    return None",
            {ObjectType.WRAPPER, ObjectType.NOTHING},
        ),
        (f"def f():\n    def g(): return 1\n    return {WRAPPED}", {ObjectType.WRAPPER}),
        ("def f(): pass", {ObjectType.NOTHING}),
        (f"@cached\ndef f(): return {WRAPPED}", {ObjectType.UNKNOWN}),
        (f"async def f(): return {WRAPPED}", {ObjectType.UNKNOWN}),
        (f"def f():\n    yield 1\n    return {WRAPPED}", {ObjectType.UNKNOWN}),
        ("class f(tf.keras.optimizers.SGD): pass", {ObjectType.KERAS}),
        ("class f: pass", {ObjectType.UNKNOWN}),
    ],
)
def test_of_what_a_function_or_class_of_the_file_gives(
    function: str, found: set[ObjectType]
) -> None:
    assert kinds(f"{function}\nx = f()") == found


@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        ("old.LossScaleOptimizer", {ObjectType.WRAPPER}),
        ("'old.LossScaleOptimizer'", {ObjectType.UNKNOWN}),
        ("Optional[old.LossScaleOptimizer]", {ObjectType.UNKNOWN}),
        ("object", {ObjectType.UNKNOWN}),
    ],
)
def test_of_an_annotated_parameter(annotation: str, found: set[ObjectType]) -> None:
    source = f"{HEAD}def f(x: {annotation}):\n    x\n"
    parsed = Program(tree_of(source))
    (read,) = [n for n in parsed.scopes.reaching if isinstance(n, cst.Name) and n.value == "x"]
    assert parsed.types.of(read) == found


def test_what_is_wrapped_somewhere_is_an_optimizer() -> None:
    assert kinds("x = make()\nwrapped = old.LossScaleOptimizer(x, 8)") == {ObjectType.KERAS}


def test_a_wrapper_is_proven_by_whatever_else_it_can_be() -> None:
    for source, proven in (
        (f"x = {WRAPPED}", True),
        (f"x = None\nif c: x = {WRAPPED}", True),
        (f"x = make()\nif c: x = {WRAPPED}", False),
        (f"x = old.Policy('float32')\nif c: x = {WRAPPED}", False),
        (f"x = {SGD}", False),
    ):
        parsed = Program(tree_of(f"{HEAD}{source}\nf(x)\n"))
        reads = [n for n in parsed.scopes.reaching if isinstance(n, cst.Name) and n.value == "x"]
        assert {parsed.types.is_wrapper(read) for read in reads} == {proven}, source


def test_what_is_not_followed() -> None:
    assert kinds("", f"typing.cast('Any', {WRAPPED})") == {ObjectType.UNKNOWN}


def test_what_objects_of_keras_have() -> None:
    source = f"model = tf.keras.Sequential()\nopt = {WRAPPED}"
    assert kinds(source, "model.optimizer") == {ObjectType.KERAS, ObjectType.WRAPPER}
    assert kinds(source, "opt.inner_optimizer") == {ObjectType.KERAS}
