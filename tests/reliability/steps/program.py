# SPDX-License-Identifier: Apache-2.0
"""A configuration as a Python program: what the harness runs, and prints when it fails."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from tests.reliability.steps.configuration import Configuration
from tests.reliability.steps.step_source import arguments, step
from tests.reliability.steps.values import feed_dtypes, feeds, initial_values

SHOWN_ELEMENTS = 40
"""So many numbers are written into the program. More are drawn again."""


def program(configuration: Configuration) -> str:
    """Writes the program. Its `train(LossScaleOptimizer)` gives the state after each step."""
    return "\n".join(
        [
            "from math import inf, nan",
            "",
            "import numpy as np",
            "import tensorflow as tf",
            "import tf_keras",
            "",
            "from tests.reliability.steps import sides, values",
            "from tests.reliability.steps.configuration import Configuration",
            "from tests.reliability.steps.subclasses import subclass",
            "",
            *_numbers(configuration),
            "",
            "",
            "def train(LossScaleOptimizer):",
            textwrap.indent("\n".join(_body(configuration)), "    "),
            "",
            "",
            'if __name__ == "__main__":',
            f"    ours = sides.wrapper({configuration.api!r}, is_ours=True)",
            f"    stock = sides.wrapper({configuration.api!r}, is_ours=False)",
            f"    print(sides.difference(train(ours), train(stock), {configuration.roundings}))",
            "",
        ]
    )


def _numbers(configuration: Configuration) -> list[str]:
    first, fed = initial_values(configuration), feeds(configuration)
    total = sum(one.size for one in [*first, *(each for some in fed for each in some)])
    if total > SHOWN_ELEMENTS:
        return [
            f"CONFIGURATION = Configuration.from_json({configuration.to_json()!r})",
            "VALUES = values.initial_values(CONFIGURATION)",
            "FEEDS = values.feeds(CONFIGURATION)",
        ]
    lines = ["VALUES = ["]
    lines += [f"    {_array(one)}," for one in first]
    lines += ["]", "FEEDS = ["]
    lines += [f"    [{', '.join(_array(one) for one in values)}]," for values in fed]
    return [*lines, "]"]


def _array(values: np.ndarray[Any, Any]) -> str:
    return f"values.array({values.astype(np.float64).tolist()}, {str(values.dtype)!r})"


def _body(configuration: Configuration) -> list[str]:
    made = [
        "variables = [tf.Variable(value) for value in VALUES]",
        f"optimizer = LossScaleOptimizer({_inner(configuration)}, {_loss_scale(configuration)})",
    ]
    made += _others(configuration)
    lines = []
    if configuration.mode.startswith("replicas"):
        lines += ["strategy = sides.two_replicas()", "with strategy.scope():"]
        lines += [f"    {line}" for line in made]
    else:
        lines += made
    lines += ["", *step(configuration), ""]
    if configuration.mode == "graph":
        return [
            "with tf.Graph().as_default(), tf.compat.v1.Session() as session:",
            *(f"    {line}" for line in [*lines, *_run_graph(configuration)]),
        ]
    return [*lines, *_call(configuration), *_run(configuration)]


def _inner(configuration: Configuration) -> str:
    prefix = {
        "new": "tf_keras.optimizers.",
        "legacy": "tf_keras.optimizers.legacy.",
        "v1": "tf.compat.v1.train.",
    }[configuration.family]
    made = f"{prefix}{configuration.optimizer}"
    if configuration.subclass:
        made = f"subclass({made}, {configuration.subclass!r})"
    given = []
    for name, value in configuration.options.items():
        if isinstance(value, dict):
            schedule = dict(value)
            kind = schedule.pop("schedule")
            inside = ", ".join(f"{key}={one!r}" for key, one in schedule.items())
            given.append(f"{name}=tf_keras.optimizers.schedules.{kind}({inside})")
        else:
            given.append(f"{name}={value!r}")
    return f"{made}({', '.join(given)})"


def _loss_scale(configuration: Configuration) -> str:
    if not configuration.dynamic:
        return f"dynamic=False, initial_scale={configuration.initial_scale!r}"
    return (
        f"dynamic=True, initial_scale={configuration.initial_scale!r}, "
        f"dynamic_growth_steps={configuration.growth_steps}"
    )


def _others(configuration: Configuration) -> list[str]:
    lines = []
    if configuration.family == "v1":
        lines.append("global_step = tf.Variable(0, dtype=tf.int64, trainable=False)")
    if configuration.between == "accumulate":
        lines.append("sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in VALUES]")
    if configuration.reuses:
        lines.append("stored = [tf.Variable(tf.zeros_like(v), trainable=False) for v in VALUES]")
    others = [f"*{name}" for name in ("sums", "stored") if any(x.startswith(name) for x in lines)]
    if configuration.family == "v1":
        others.insert(0, "global_step")
    return [*lines, f"others = [{', '.join(others)}]"]


def _call(configuration: Configuration) -> list[str]:
    """Makes `run`, which calls the step."""
    names = ", ".join(arguments(configuration))
    if configuration.mode.startswith("replicas"):
        lines = [f"def run({names}):", f"    return strategy.run(step, args=[{names}])", ""]
        return [*lines, *(["run = tf.function(run)"] if configuration.is_traced else [])]
    if not configuration.is_traced:
        return ["run = step"]
    specs = ", ".join(
        f"tf.TensorSpec({None if configuration.unknown_shapes else list(shape)}, {dtype!r})"
        for shape, dtype in feed_dtypes(configuration)
    )
    jit = ", jit_compile=True" if configuration.mode == "jit" else ""
    traced = f"tf.function({{}}{jit}, input_signature=[{specs}])"
    inner = f"tf.function(step, input_signature=[{specs}])"
    around = [
        f"def around({names}):",
        f"    return inner({names})",
        "",
        "run = tf.function(around, jit_compile=True)",
    ]
    structure = configuration.structure
    if structure in ("twice", "while", "cond"):
        return [*_repeated(configuration, names), f"run = {traced.format('repeated')}"]
    return {
        "plain": [f"run = {traced.format('step')}"],
        "nested": [
            f"inner = {inner}",
            f"def around({names}):",
            f"    return inner({names})",
            "",
            f"run = {traced.format('around')}",
        ],
        "traced-in-jit": [f"inner = {inner}", "inner.get_concrete_function()", *around],
        "concrete": [f"run = {traced.format('step')}.get_concrete_function()"],
        "concrete-in-jit": [f"inner = {inner}.get_concrete_function()", *around],
        "saved": [*_saved(traced.format("step")), "run = loaded.step"],
        "saved-in-jit": [*_saved(inner), "inner = loaded.step", *around],
    }[structure]


def _repeated(configuration: Configuration, names: str) -> list[str]:
    call = f"step({names})"
    bodies = {
        "twice": [f"    {call}", f"    return {call}"],
        "while": ["    for _ in tf.range(2):", f"        {call}", "    return []"],
        "cond": [
            f"    if tf.reduce_all({names.split(', ', maxsplit=1)[0]} < 1):",
            f"        {call}",
            "    return []",
        ],
    }
    return [f"def repeated({names}):", *bodies[configuration.structure], ""]


def _saved(step: str) -> list[str]:
    return [
        "module = tf.Module()",
        "module.optimizer = optimizer",
        f"module.step = {step}",
        "module.step.get_concrete_function()",
        "roles = sides.state_variables(optimizer, variables, others)",
        "module.all = list(roles.values())",
        "loaded = sides.saved_and_loaded(module)",
    ]


def _event(configuration: Configuration) -> list[str]:
    if not configuration.event or not configuration.dynamic:
        return []
    number = min(1, len(configuration.steps) - 1)
    scale = configuration.event_scale
    if configuration.event == "restore":
        act = f"sides.restore_scale(optimizer, {scale!r})"
    elif configuration.mode == "graph":
        act = f"sides.scale_variable(optimizer).load({scale!r}, session)"
    else:
        act = f"sides.scale_variable(optimizer).assign({scale!r})"
    return [f"    if number == {number}:", f"        {act}"]


def _run(configuration: Configuration) -> list[str]:
    lines = ["for number, feed in enumerate(FEEDS):", *_event(configuration)]
    if configuration.mode.startswith("replicas"):
        lines.append("    outputs = run(*sides.distributed(feed))")
    else:
        lines.append("    outputs = run(*(tf.constant(value) for value in feed))")
    if configuration.structure.startswith("saved"):
        lines.append("    loaded_state = dict(zip(roles, loaded.all))")
        return [*lines, "    yield sides.flat({**loaded_state, 'output': outputs})"]
    return [*lines, "    yield sides.state(optimizer, variables, others, outputs)"]


def _run_graph(configuration: Configuration) -> list[str]:
    return [
        "inputs = [tf.compat.v1.placeholder(value.dtype, value.shape) for value in FEEDS[0]]",
        "applied, norms = step(*inputs)",
        "session.run(tf.compat.v1.global_variables_initializer())",
        "roles = sides.state_variables(optimizer, variables, others)",
        "for number, feed in enumerate(FEEDS):",
        *_event(configuration),
        "    _, outputs = session.run([applied, norms], dict(zip(inputs, feed)))",
        "    found = {**session.run(roles), 'output': outputs}",
        *(["    found['returned'] = sides.kind(applied)"] if configuration.returns else []),
        "    yield sides.flat(found)",
    ]
