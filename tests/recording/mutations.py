# SPDX-License-Identifier: Apache-2.0
"""Programs, 100 changes to them that matter and 100 that do not.

    python -m tests.recording.mutations [NAME ...]

A change that matters comes with the step at which it is to be found; 0 is before the first one. The
command records all, or those whose names are given, and prints what is not as it should be.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from compat_lossscale.recording.comparison import ComparisonVerdict, RecordingComparison, compare
from compat_lossscale.recording.reading import Recording, read
from tests import forked_python
from tests.recording.loading import RECORDER
from tests.support import python

FUNCTION: Final = """
import numpy as np
import tensorflow as tf

tf.random.set_seed(1)
rng = np.random.RandomState(1)
x = rng.rand(256, 8).astype("float32")
y = (x.sum(1, keepdims=True) > 4).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(256, seed=3).repeat().batch(32)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(16, activation="relu", input_shape=(8,)),
    tf.keras.layers.Dropout(0.2),
    tf.keras.layers.Dense(1),
])
inner = tf.keras.optimizers.legacy.Adam(learning_rate=0.01)
opt = tf.keras.mixed_precision.LossScaleOptimizer(
    inner, dynamic=True, initial_scale=2.0**15, dynamic_growth_steps=3
)


@tf.function
def train(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        scaled = opt.get_scaled_loss(loss)
    variables = model.trainable_variables
    grads = tape.gradient(scaled, variables)
    grads = opt.get_unscaled_gradients(grads)
    opt.apply_gradients(zip(grads, variables))
    return loss


for i, (a, b) in enumerate(data.take(10)):
    if i == 4:
        a = a * float("nan")
    loss = train(a, b)
    if i in (0, 9):
        print("step", i, "loss", float(loss))
"""
FIT: Final = """
import numpy as np
import tensorflow as tf

tf.random.set_seed(1)
tf.keras.mixed_precision.set_global_policy("mixed_float16")
rng = np.random.RandomState(1)
x = rng.rand(256, 8).astype("float32")
y = (x.sum(1, keepdims=True) > 4).astype("float32")
model = tf.keras.Sequential([
    tf.keras.layers.Dense(16, activation="relu", input_shape=(8,)),
    tf.keras.layers.Dropout(0.2),
    tf.keras.layers.Dense(1, dtype="float32"),
])
inner = tf.keras.optimizers.legacy.SGD(learning_rate=0.05, momentum=0.9)
opt = tf.keras.mixed_precision.LossScaleOptimizer(inner, dynamic=False, initial_scale=1024.0)
model.compile(optimizer=opt, loss="mse")
history = model.fit(x, y, batch_size=32, epochs=1, verbose=0, shuffle=False)
print("loss", history.history["loss"][-1])
"""
EAGER: Final = """
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
w = tf.Variable(rng.randn(6, 4).astype("float32"), name="w")
b = tf.Variable(np.zeros(4, "float32"), name="b")
inner = tf.keras.optimizers.RMSprop(learning_rate=0.01)
opt = tf.keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=2.0**10)
opt.dynamic_growth_steps
for i in range(8):
    x = rng.rand(16, 6).astype("float32")
    if i == 3:
        x[0, 0] = np.inf
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
        scaled = opt.get_scaled_loss(loss)
    variables = [w, b]
    grads = tape.gradient(scaled, variables)
    grads = opt.get_unscaled_gradients(grads)
    opt.apply_gradients(zip(grads, variables))
    if i == 7:
        print("loss", float(loss), "scale", float(opt.loss_scale))
"""
SESSION: Final = """
import numpy as np
import tensorflow.compat.v1 as tf
import compat_lossscale.v1 as lossscale

tf.disable_v2_behavior()
rng = np.random.RandomState(1)
xs = rng.rand(256, 8).astype("float32")
ys = (xs.sum(1, keepdims=True) > 4).astype("float32")
x = tf.placeholder(tf.float32, [None, 8])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", initializer=rng.randn(8, 1).astype("float32"))
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean((tf.matmul(x, w) + b - y) ** 2)
count = tf.train.get_or_create_global_step()
inner = tf.train.MomentumOptimizer(0.05, 0.9)
scale = lossscale.DynamicLossScale(2.0**15, increment_period=3)
opt = lossscale.MixedPrecisionLossScaleOptimizer(inner, scale)
pairs = opt.compute_gradients(loss)
train = opt.apply_gradients(pairs, global_step=count)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(10):
        a = xs[i * 16 : i * 16 + 16]
        if i == 5:
            a = a * np.inf
        sess.run(train, {x: a, y: ys[i * 16 : i * 16 + 16]})
    print("loss", sess.run(loss, {x: xs, y: ys}))
"""
PROGRAMS: Final = {"function": FUNCTION, "fit": FIT, "eager": EAGER, "session": SESSION}
_UNSCALE = "    grads = opt.get_unscaled_gradients(grads)\n"
_CLIP = "    grads, _ = tf.clip_by_global_norm(grads, 0.01)\n"
_CLIP_ALL = "    grads = [tf.clip_by_norm(g, 0.01) for g in grads]\n"
_FINITE = "    grads = [tf.where(tf.math.is_finite(g), g, tf.zeros_like(g)) for g in grads]\n"
_DYNAMIC = "dynamic=True, initial_scale=2.0**15, dynamic_growth_steps=3"
_SCALE = "lossscale.DynamicLossScale(2.0**15, increment_period=3)"
_FINITE_PAIRS = "[(tf.where(tf.is_finite(g), g, 0 * v), v) for g, v in pairs], global_step"
_LOOP = "    if i == 4:\n"
_EAGER_LOOP = "    if i == 3:\n"
_RUN = "        sess.run(train,"
MATTERS: Final[dict[str, list[tuple[str, str, int]]]] = {
    "function": [
        ("=0.01)", "=0.02)", 1),
        ("=0.01)", "=0.0101)", 1),
        ("=0.01)", "=0.01, beta_1=0.8)", 1),
        ("=0.01)", "=0.01, beta_2=0.99)", 1),
        ("=0.01)", "=0.01, epsilon=1e-3)", 1),
        ("=0.01)", "=0.01, amsgrad=True, beta_2=0.9)", 1),
        ("legacy.Adam(", "legacy.SGD(", 0),
        ("legacy.Adam(", "legacy.Adamax(", 0),
        ("legacy.Adam(", "legacy.Nadam(", 0),
        ("2.0**15", "2.0**14", 0),
        ("growth_steps=3", "growth_steps=4", 0),
        ("growth_steps=3", "growth_steps=2000", 0),
        (_DYNAMIC, "dynamic=False, initial_scale=2.0**15", 0),
        ("set_seed(1)", "set_seed(2)", 1),
        ("seed=3", "seed=4", 1),
        ("batch(32)", "batch(16)", 1),
        ("variables = model.trainable_variables", "variables = model.trainable_variables[:-1]", 0),
        (_UNSCALE, "", 1),
        (_UNSCALE, _CLIP + _UNSCALE, 1),
        (_UNSCALE, _UNSCALE + _FINITE, 5),
        ("scaled = opt.get_scaled_loss(loss)", "scaled = loss", 1),
        ("Dropout(0.2)", "Dropout(0.3)", 1),
        ("training=True", "training=False", 1),
        (_LOOP, "    if i == 6:\n        inner.learning_rate.assign(0.009)\n" + _LOOP, 7),
        (_LOOP, "    if i == 7:\n        a = a * 1.001\n" + _LOOP, 8),
        ("take(10)", "take(9)", 10),
        ('print("step", i', 'print("stage", i', 1),
        ("activation=\"relu\"", "activation=\"selu\"", 1),
        ("reduce_mean(", "reduce_sum(", 1),
    ],
    "fit": [
        ("=0.05,", "=0.06,", 1),
        ("=0.05,", "=0.0525,", 1),
        ("momentum=0.9", "momentum=0.8", 2),
        ("momentum=0.9", "momentum=0.9, nesterov=True", 1),
        ("legacy.SGD(learning_rate=0.05, momentum=0.9)", "legacy.Adam(0.05)", 0),
        ("1024.0", "512.0", 0),
        ("dynamic=False, initial_scale=1024.0", "initial_scale=1024.0, dynamic_growth_steps=2", 0),
        ('    set_global_policy("mixed_float16")'.strip(), 'set_global_policy("float32")', 0),
        ('set_global_policy("mixed_float16")', 'set_global_policy("mixed_bfloat16")', 0),
        ("set_seed(1)", "set_seed(3)", 1),
        ("batch_size=32", "batch_size=64", 1),
        ("shuffle=False", "shuffle=True", 1),
        ("epochs=1", "epochs=2", 8),
        ("Dropout(0.2)", "Dropout(0.5)", 1),
        ('"mse"', '"mae"', 1),
        ("optimizer=opt", "optimizer=tf.keras.optimizers.legacy.SGD(0.05, momentum=0.9)", 0),
        ("model.compile(", "model.layers[2].trainable = False\nmodel.compile(", 0),
        ("model.compile(", "model.layers[0].use_bias = False\nmodel.compile(", 0),
        ("Dense(16", "Dense(8", 0),
        ("> 4)", "> 3)", 1),
        ('print("loss"', 'print("Loss"', 8),
        ("momentum=0.9)", "momentum=0.9, clipnorm=0.1)", 1),
        ("momentum=0.9)", "momentum=0.9, decay=0.1)", 2),
    ],
    "eager": [
        ("=0.01)", "=0.011)", 1),
        ("=0.01)", "=0.01, rho=0.8)", 1),
        ("=0.01)", "=0.01, momentum=0.5)", 2),
        ("=0.01)", "=0.01, centered=True)", 1),
        ("=0.01)", "=0.01, clipnorm=0.1)", 1),
        ("optimizers.RMSprop(", "optimizers.Adagrad(", 0),
        ("optimizers.RMSprop(", "optimizers.Adam(", 0),
        ("2.0**10", "2.0**11", 0),
        ("initial_scale=2.0**10", "initial_scale=2.0**10, dynamic_growth_steps=2", 0),
        ("initial_scale=2.0**10", "dynamic=False, initial_scale=2.0**10", 0),
        ("RandomState(1)", "RandomState(2)", 0),
        ("rng.rand(16, 6)", "rng.rand(15, 6)", 1),
        ("    variables = [w, b]", "    variables = [w]", 0),
        (_UNSCALE, "", 1),
        (_UNSCALE, _CLIP_ALL + _UNSCALE, 1),
        (_UNSCALE, _UNSCALE + _FINITE, 4),
        ("scaled = opt.get_scaled_loss(loss)", "scaled = loss", 1),
        (_EAGER_LOOP, "    if i == 5:\n        opt.learning_rate = 0.02\n" + _EAGER_LOOP, 6),
        (_EAGER_LOOP, "    if i == 6:\n        w.assign(w * 1.0001)\n" + _EAGER_LOOP, 7),
        ("range(8)", "range(7)", 8),
        ("x[0, 0] = np.inf", "x[0, 0] = 1.0", 4),
        ("b - 1.0", "b - 1.01", 1),
        ("reduce_mean(", "reduce_sum(", 1),
        ("tf.square(", "tf.abs(", 1),
    ],
    "session": [
        ("(0.05, 0.9)", "(0.06, 0.9)", 1),
        ("(0.05, 0.9)", "(0.0501, 0.9)", 1),
        ("(0.05, 0.9)", "(0.05, 0.8)", 2),
        ("(0.05, 0.9)", "(0.05, 0.9, use_nesterov=True)", 1),
        ("MomentumOptimizer(0.05, 0.9)", "AdamOptimizer(0.05)", 0),
        ("MomentumOptimizer(0.05, 0.9)", "RMSPropOptimizer(0.05)", 0),
        ("2.0**15", "2.0**12", 0),
        ("increment_period=3", "increment_period=4", 0),
        (_SCALE, "lossscale.FixedLossScale(2.0**15)", 0),
        (_SCALE, "lossscale.DynamicLossScale(2.0**15, 3, 4.0)", 3),
        ("opt = lossscale.MixedPrecisionLossScaleOptimizer(inner, scale)", "opt = inner", 0),
        ("RandomState(1)", "RandomState(5)", 0),
        ("compute_gradients(loss)", "compute_gradients(loss, [w])", 0),
        ("compute_gradients(loss)", "compute_gradients(loss * 1.01)", 1),
        ("pairs, global_step", "[(tf.clip_by_norm(g, 0.01), v) for g, v in pairs], global_step", 1),
        ("pairs, global_step", _FINITE_PAIRS, 6),
        ("pairs, global_step=count", "pairs", 1),
        (_RUN, "        if i == 3:\n            sess.run(b.initializer)\n" + _RUN, 4),
        (_RUN, "        if i == 7:\n            w.load(w.eval() * 1.001, sess)\n" + _RUN, 8),
        ("a = a * np.inf", "pass", 6),
        ("range(10)", "range(9)", 10),
        ("zeros_initializer", "ones_initializer", 0),
        ("reduce_mean(", "reduce_sum(", 1),
        ('print("loss"', 'print("losses"', 10),
    ],
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Mutation:
    """A changed program.

    Attributes:
        program: The name of the program.
        name: The name of the change.
        source: The changed program.
        step: The step at which it is to be found; `None` if it is the same.
    """

    program: str
    name: str
    source: str
    step: int | None


def _renamed(source: str) -> str:
    for name in ("model", "opt", "inner", "grads", "rng", "xs", "ys", "history"):
        source = re.sub(rf"(?<![\w.\"]){name}(?![\w\"=])", f"the_{name}", source)
    return source


def _in_a_function(source: str) -> str:
    body = "".join(f"    {line}\n" if line else "\n" for line in source.split("\n"))
    return f"def main():\n{body}\n\nmain()\n"


def _imports_swapped(source: str) -> str:
    lines = source.split("\n")
    places = [i for i, line in enumerate(lines) if line.startswith("import ")]
    for place, line in zip(places, [lines[i] for i in reversed(places)], strict=True):
        lines[place] = line
    return "\n".join(lines)


def _after(pattern: str, text: str) -> Callable[[str], str]:
    """Puts statements after the first line that matches, with its indentation."""

    def change(source: str) -> str:
        found = re.search(rf"^( *){pattern}.*\n", source, re.M)
        assert found is not None, (pattern, source)
        added = "".join(f"{found[1]}{line}\n" for line in text.split("\n"))
        return source[: found.end()] + added + source[found.end() :]

    return change


SAME: Final[dict[str, Callable[[str], str]]] = {
    "nothing": lambda source: source,
    "comments": lambda source: "# A comment.\n" + source.replace(" = ", " =  ", 3),
    "formatting": lambda source: ast.unparse(ast.parse(source)),
    "names": _renamed,
    "names, formatted": lambda source: ast.unparse(ast.parse(_renamed(source))),
    "a function": _in_a_function,
    "imports": _imports_swapped,
    "docstring": lambda source: '"""Trains."""\n' + source,
    "future": lambda source: "from __future__ import annotations\n" + source,
    "numpy's name": lambda source: re.sub(r"\bnp\b", "numpy_module", source),
    "tensorflow's name": lambda source: re.sub(r"\btf\b", "flow", source),
    "time": lambda source: "import time\nstart = time.time()\n" + source,
    "a pause": lambda source: "import time\ntime.sleep(0.01)\n" + source,
    "standard error": lambda source: "import sys\nprint('begin', file=sys.stderr)\n" + source,
    "a file": lambda source: source + "open('extra.txt', 'w').write('x')\n",
    "an exit": lambda source: source + "raise SystemExit(0)\n",
    "a constant": _after("import numpy", "unused = np.ones((3, 3)) @ np.ones((3, 3))"),
    "other random numbers": _after("import numpy", "other = np.random.RandomState(9).rand(5)"),
    "garbage": _after("import numpy", "import gc\ngc.collect()"),
    "an assertion": _after("inner = ", "assert inner is not None"),
    "a test of the kind": _after("inner = ", "print_name = type(inner).__name__.lower()"),
    "a helper": _after("inner = ", "helper = lambda value: value\ninner = helper(inner)"),
    "a try": _after("inner = ", "try:\n    pass\nexcept ValueError:\n    raise"),
    "an annotation": lambda source: re.sub(r"^inner = ", "inner: object = ", source, flags=re.M),
    "an if": _after("inner = ", "if not inner:\n    raise ValueError('no optimizer')"),
}


def mutations() -> Iterator[Mutation]:
    """Yields all changed programs."""
    for name, source in PROGRAMS.items():
        for number, (old, new, step) in enumerate(MATTERS[name]):
            assert source.count(old) >= 1, (name, old)
            yield Mutation(name, f"{number}: {new.strip()[:40]}", source.replace(old, new, 1), step)
        for what, change in SAME.items():
            yield Mutation(name, what, change(source), None)


def recorded(folder: Path, source: str) -> Recording:
    """Records a program on tf-keras."""
    folder.mkdir(exist_ok=True)
    (folder / "train.py").write_text(source)
    done = python(
        str(RECORDER), "-o", "it.lsr", "train.py", cwd=folder,
        environment={"TF_USE_LEGACY_KERAS": "1"}, tensorflow_may_be_imported=True,
    )  # fmt: skip
    recording = read(str(folder / "it.lsr"))
    assert recording.end is not None, done.stderr
    assert recording.end["problems"] == {}, recording.end["problems"]
    return recording


def wrong(mutation: Mutation, result: RecordingComparison) -> str:
    """Returns what is not as it should be; nothing if all is."""
    if mutation.step is None:
        return "" if result.verdict is ComparisonVerdict.SAME else f"reported: {result.first}"
    if result.verdict is not ComparisonVerdict.DIFFERENT or result.first is None:
        return f"not found: {result.reason}"
    if result.first.step != mutation.step:
        return f"found at step {result.first.step}, not {mutation.step}: {result.first}"
    return ""


def main(names: list[str]) -> int:
    """Tries all changes, or those of some programs, and prints what is wrong."""
    counts = {True: 0, False: 0}
    bad = 0
    with tempfile.TemporaryDirectory() as folder, forked_python.servers():
        top = Path(folder)
        originals = {name: recorded(top / name, source) for name, source in PROGRAMS.items()}
        for number, mutation in enumerate(mutations()):
            if names and mutation.program not in names:
                continue
            result = compare(
                originals[mutation.program], recorded(top / str(number), mutation.source)
            )
            counts[mutation.step is None] += 1
            problem = wrong(mutation, result)
            if problem:
                bad += 1
                print(f"{mutation.program} {mutation.name}: {problem}", flush=True)
    print(f"{counts[False]} that matter, {counts[True]} that do not: {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
