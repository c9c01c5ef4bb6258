# SPDX-License-Identifier: Apache-2.0
"""Programs around old calls in random surroundings: old and new make the same calls.

Both versions run against stand-ins for TensorFlow that record what was constructed and set.
"""

from __future__ import annotations

import os
import sys
import types
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lossscale_codemods import Outcome, Status, migrate_source
from lossscale_codemods.rewriting.engine import DynamicLossScale, FixedLossScale
from lossscale_codemods.running import one_file

from compat_lossscale.spec import LossScaleSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "24"))
"""How many programs a property is tried on; `make nightly` tries many more."""
ANY_EXAMPLES = max(EXAMPLES // 3, 12)
"""The same for programs of any shape, which take longer to make."""
KERAS, V1 = "tensorflow.keras.mixed_precision", "tensorflow.compat.v1.mixed_precision"
EXPERIMENTAL = f"{KERAS}.experimental"


class Tensorflow:
    """Stand-ins for TensorFlow's modules, and a record of the calls."""

    def __init__(self) -> None:
        self.calls: list[object] = []
        self.modules: dict[str, types.ModuleType] = {}
        self.add(
            EXPERIMENTAL,
            LossScaleOptimizer=self.old,
            Policy=self.policy,
            set_policy=self.set,
            global_policy=self.get,
        )
        self.add(
            KERAS,
            LossScaleOptimizer=self.new,
            Policy=self.policy,
            set_global_policy=self.set,
            global_policy=self.get,
        )
        for home in (
            "tensorflow.mixed_precision.experimental",
            "tensorflow.train.experimental",
            V1,
        ):
            self.add(home, FixedLossScale=FixedLossScale, DynamicLossScale=DynamicLossScale)

    def add(self, path: str, **members: object) -> None:
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            if name not in self.modules:
                module = types.ModuleType(name)
                module.__path__ = []  # type: ignore[attr-defined]
                self.modules[name] = module
                if end > 1:
                    setattr(self.modules[".".join(parts[: end - 1])], parts[end - 1], module)
        vars(self.modules[path]).update(members)

    def old(
        self, optimizer: object = None, loss_scale: object = None, opt: object = None
    ) -> object:
        return self.made(optimizer or opt, LossScaleSpec.from_argument(loss_scale))

    def new(self, inner_optimizer: object, **keywords: object) -> object:
        return self.made(inner_optimizer, LossScaleSpec.from_constructor(**keywords))  # type: ignore[arg-type]  # passed on as it is

    def made(self, optimizer: object, spec: LossScaleSpec) -> object:
        self.calls.append((optimizer, spec))
        return f"wrapped {optimizer}"

    def policy(self, name: str, loss_scale: object = None) -> object:
        self.calls.append(("policy", name))
        return name

    def set(self, policy: object) -> None:
        self.calls.append(("set", policy))

    def get(self) -> object:
        return "float32"

    @contextmanager
    def installed(self) -> Iterator[None]:
        with mock.patch.dict(sys.modules, self.modules):
            yield


def calls(source: str) -> list[object]:
    tensorflow = Tensorflow()
    with tensorflow.installed():
        exec(compile(source, "<program>", "exec"), {"__name__": "program"})
    return tensorflow.calls


IMPORTS = [
    ("import tensorflow as tf", "tf.keras.mixed_precision.experimental."),
    ("import tensorflow", "tensorflow.keras.mixed_precision.experimental."),
    ("from tensorflow import keras", "keras.mixed_precision.experimental."),
    ("import tensorflow as tf\nK = tf.keras", "K.mixed_precision.experimental."),
    ("from tensorflow.keras import mixed_precision", "mixed_precision.experimental."),
    ("from tensorflow.keras.mixed_precision import experimental", "experimental."),
    (
        "from tensorflow.keras.mixed_precision import experimental as mixed_precision",
        "mixed_precision.",
    ),
    ("import tensorflow.keras.mixed_precision.experimental as mp", "mp."),
    ("import tensorflow as tf\nmp = tf.keras.mixed_precision.experimental", "mp."),
    (
        f"from {EXPERIMENTAL} import (\n    LossScaleOptimizer, Policy,\n    set_policy,  # all\n)",
        "",
    ),
    (
        "try:\n    from tensorflow.keras.mixed_precision import experimental as mp\nexcept ImportError:\n    mp = None",  # noqa: E501  # a program, as it was written
        "mp.",
    ),
]
SCALES = [
    "'dynamic'",
    '"dynamic"',
    "128",
    "2. ** 10",
    "known",
    "config['scale']",
    "helper(8)",
    "'dynamic' if flag else 64",
    "64 if not flag else 'dynamic'",
    "ls.FixedLossScale(64)",
    "ls.DynamicLossScale()",
    "ls.DynamicLossScale(known, increment_period=7)",
    "ls.DynamicLossScale(\n            initial_loss_scale=2 ** 4,  # small\n        )",
    "ls.DynamicLossScale(2 ** 15, 2000, 2)",
    "'dynamic' if flag else ls.DynamicLossScale(8)",
]
CALLS = [
    "{c}('opt', {s})",
    "{c}('opt', loss_scale={s})",
    "{c}(\n    'opt',\n    loss_scale={s},\n)",
    "{c}(  # one\n    'opt',  # two\n    # three\n    {s})",
    "{c}(optimizer='opt', loss_scale={s})",
    "{c}(loss_scale={s}, opt='opt')",
    "list([({c}('opt', {s}))])",
    "{c}(name, {s})",
]
AROUND = [
    "try:\n    x = {call}\nfinally:\n    y = 1\n",
    "try:\n    raise ValueError\nexcept ValueError:\n    x = {call}\n",
    "async def f():\n    return {call}\ntry:\n    f().send(1)\nexcept TypeError:\n    pass\n",
    "x = [{call} for i in range(2)]\n",
    "x = {{i: {call} for i in range(2)}}\n",
    "if (x := {call}):\n\ty = x\n",
    "def f(x={call}):\n    return x\nf()\n",
    "class A:\n    x = {call}\n    y = x\n",
    "def outer():\n    def inner():\n        return {call}\n    return inner\nouter()()\n",
    "def f():\n    yield {call}\nlist(f())\n",
    "with open('/dev/null') as file:\n    x, *y = {call}, 1, 2\n",
    "while True:\n    x = {call}\n    break\n",
    "print(f'{{{call!r}}}', end='')\n" if False else "x = flag and {call} or None\n",
    "scale = 'dynamic'\nif flag:\n    scale = {s}\nx = {folded}\n",
    "@(lambda g: g)\ndef f():\n    return {call}  # \x0c behind\nf()\n",
    "x = {call}\n",
    "def f(name='n'):\n    return {call}\nf()\n",
    "if flag:\n\n    # a comment\n    x = {call}\nelse:\n    x = {call}\n",
    "class A:\n    def __init__(self):\n        self.x = {call}\nA(); A()\n",
    "scale = {s}\nx = {folded}\n",
    "def f(scale):\n    return {folded}\nf({s}); f('dynamic'); f(8)\n",
    "for i in range(2):\n    x = {call}; y = i\n",
    "x = (lambda: {call})()\n",
]


@st.composite
def programs(draw: st.DrawFn) -> str:
    statements, prefix = draw(st.sampled_from(IMPORTS))
    home = draw(st.sampled_from(["mixed_precision", "train"]))
    lines = [
        draw(st.sampled_from(["", "# -*- coding: utf-8 -*-\n", '"""Docs é."""\n'])) + statements
    ]
    lines.append(f"from tensorflow.{home} import experimental as ls")
    lines.append(
        "name, flag, known, config = 'n', True, 32, {'scale': 16}\ndef helper(n):\n    return n"
    )
    for _ in range(draw(st.integers(1, 3))):
        scale, shape = draw(st.sampled_from(SCALES)), draw(st.sampled_from(CALLS))
        call = shape.format(c=prefix + "LossScaleOptimizer", s=scale)
        folded = shape.format(c=prefix + "LossScaleOptimizer", s="scale")
        lines.append(draw(st.sampled_from(AROUND)).format(call=call, folded=folded, s=scale))
        lines.append(
            draw(st.sampled_from(["", f"{prefix}set_policy({prefix}Policy('mixed_float16'))\n"]))
        )
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    end = draw(st.sampled_from(["", "\n", "# the end"]))
    return ("\n".join(lines) + end).replace("\n", newline)


@given(programs())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_old_and_new_make_the_same_calls(source: str) -> None:
    result = migrate_source(source)
    assert result.status in (Status.CHANGED, Status.UNCHANGED), (result.problem, source)
    assert calls(result.text) == calls(source)
    assert migrate_source(result.output).output == result.output


SURROUNDINGS = st.lists(
    st.sampled_from(
        [
            "def f(a, *b, c=1, **d): pass\n",
            "async def g():\n    async with a as b, c: await d\n",
            "match x:\n    case {'k': [1, *rest], **more} if rest: pass\n    case A(b=1) | None: pass\n",  # noqa: E501  # a program, as it was written
            "while x := f():\n    continue\nelse:\n    pass\n",
            "@decorator(lambda q: q)\nclass C(Base, metaclass=M):\n    x: int = 1; y: 'C'\n    del x\n",  # noqa: E501  # a program, as it was written
            "try:\n    pass\nexcept* E as e:\n    raise\nfinally:\n    pass\n",
            "z = [i for j in k if j for i in j if (n := i)]; w = {**a, 'b': f'{c!r:>{d}}'}\n",
            "global_ = 1\ndef h():\n    global global_\n    global_ += 1\n    def i():\n        nonlocal_ = 1\n",  # noqa: E501  # a program, as it was written
            "with (open(a) as b, open(c) as (d, e)):\n    pass\n",
            "a[1:2, ...] = b @ c if d else not e; a.b.c = 1\n",
            "\n# odd comment\n\n",
            "if 1:\n\tx = 1\n\tif 2:\n\t\ty = '''\n  text '''\n",
        ]
    ),
    max_size=6,
)


@given(SURROUNDINGS, SURROUNDINGS, st.sampled_from(SCALES[:4]))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_surroundings_are_kept_to_the_byte(
    before: list[str], after: list[str], scale: str
) -> None:
    old = f"import tensorflow as tf\nopt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(o, {scale})\n"  # noqa: E501  # a program, as it was written
    head, tail = "".join(before), "".join(after)
    result = migrate_source(head + old + tail)
    assert result.status is Status.CHANGED, result.problem
    assert result.text.startswith(head)
    assert result.text.endswith(tail)
    assert result.count(Outcome.REWRITTEN) == 1


def compiles(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<program>", "exec")
        except (SyntaxError, ValueError):
            return False
    return True


@st.deferred  # To import it, and to read Python's grammar, takes seconds.
def any_program() -> st.SearchStrategy[str]:
    """Any program that compiles."""
    import hypothesmith

    return st.one_of(
        hypothesmith.from_grammar(auto_target=False), hypothesmith.from_node(auto_target=False)
    ).filter(compiles)


CALL = (
    "import tensorflow as old\n"
    "x = old.keras.mixed_precision.experimental.LossScaleOptimizer(o, loss_scale={})\n"
)


@pytest.mark.slow
@given(any_program, any_program, st.sampled_from(SCALES[:4]))
@settings(max_examples=ANY_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_old_call_in_any_program(head: str, tail: str, scale: str) -> None:
    """Whatever stands around a call is kept to the byte, or the file is refused with the reason."""
    source = f"{head}\n{CALL.format(scale)}{tail}"
    assume(compiles(source))
    result = migrate_source(source)
    assert "mistake in the codemod" not in result.problem
    if result.status is not Status.CHANGED:
        assert result.status in (Status.UNREADABLE, Status.REFUSED)
        assert result.problem
        assert result.output == source.encode()
        return
    assert result.text.startswith(f"{head}\n")
    assert result.text.endswith(tail)
    assert result.count(Outcome.REWRITTEN) == 1
    assert compiles(result.text)
    assert migrate_source(result.output).output == result.output


@given(any_program)
@settings(max_examples=ANY_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_program_without_an_old_name_changes(source: str) -> None:
    with mock.patch.object(one_file, "can_hold_old_name", return_value=True):
        result = migrate_source(source)
    assert result.output == source.encode()
    assert result.status is Status.UNCHANGED or result.problem
