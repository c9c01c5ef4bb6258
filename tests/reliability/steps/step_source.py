# SPDX-License-Identifier: Apache-2.0
"""The source of a configuration's step, and of the loss that it differentiates."""

from __future__ import annotations

from tests.reliability.steps.configuration import Configuration


def arguments(configuration: Configuration) -> list[str]:
    """Names what the step is fed."""
    names = []
    for number, one in enumerate(configuration.variables):
        if one.gradient != "none":
            names.append(f"g{number}")
        if one.gradient == "sparse":
            names.append(f"rows{number}")
    return names


def step(configuration: Configuration) -> list[str]:
    """Writes the step: gradients, unscaled and perhaps changed, that are applied."""
    way = configuration.way
    lines = [f"def step({', '.join(arguments(configuration))}):"]
    if way != "given":
        lines += [f"    {line}" for line in _loss(configuration)]
    if configuration.family == "v1":
        lines += _pairs_v1(configuration)
    elif way == "minimize":
        lines.append("    applied = optimizer.minimize(loss, variables)")
    else:
        lines += _pairs(configuration)
    if way != "minimize":
        lines += [f"    {line}" for line in _between(configuration)]
        steps = ", global_step=global_step" if configuration.family == "v1" else ""
        pairs = "list(zip(gradients, variables))"
        lines.append(f"    applied = optimizer.apply_gradients({pairs}{steps})")
    if configuration.reuses and way != "minimize":
        lines += [
            "    norms = []",
            "    for gradient, variable in zip(gradients, stored):",
            "        if gradient is not None:",
            "            dense = tf.cast(tf.convert_to_tensor(gradient), variable.dtype)",
            "            norms.append(tf.norm(tf.cast(variable.assign(dense), tf.float32)))",
        ]
    else:
        lines.append("    norms = []")
    if configuration.subclass == "Remembers" and not configuration.dynamic:
        lines += [
            "    norms += [tf.identity(one) for one in optimizer.inner_optimizer.remembered]",
            "    optimizer.inner_optimizer.remembered = []",
        ]
    if configuration.mode == "graph":
        return [*lines, "    return applied, norms"]
    if configuration.returns:
        return [*lines, "    return [applied, *norms]"]
    return [*lines, "    return norms"]


def _pairs(configuration: Configuration) -> list[str]:
    if configuration.way == "given":
        gradients = []
        for number, one in enumerate(configuration.variables):
            if one.gradient == "none":
                gradients.append("None")
            elif one.gradient == "sparse":
                shape = f"tf.constant({list(one.shape)})"
                gradients.append(f"tf.IndexedSlices(g{number}, rows{number}, {shape})")
            else:
                gradients.append(f"g{number}")
        return [f"    gradients = optimizer.get_unscaled_gradients([{', '.join(gradients)}])"]
    return [
        "    with tf.GradientTape() as tape:",
        "        scaled = optimizer.get_scaled_loss(loss())",
        "    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, variables))",
    ]


def _pairs_v1(configuration: Configuration) -> list[str]:
    loss = "loss()" if configuration.mode == "graph" else "loss"
    if configuration.way == "minimize":
        return [
            f"    applied = optimizer.minimize({loss}, global_step=global_step, var_list=variables)"
        ]
    return [
        f"    pairs = optimizer.compute_gradients({loss}, variables)",
        "    gradients = [gradient for gradient, _ in pairs]",
    ]


def _loss(configuration: Configuration) -> list[str]:
    lines = ["def loss():", "    total = 0.0"]
    for number, one in enumerate(configuration.variables):
        if one.gradient == "none":
            continue
        value = f"variables[{number}]"
        if one.gradient == "sparse":
            value = f"tf.gather({value}, rows{number})"
        if configuration.compute_dtype and configuration.compute_dtype != one.dtype:
            value = f"tf.cast({value}, {configuration.compute_dtype!r})"
        part = _part(configuration.loss, value, f"g{number}")
        if not configuration.compute_dtype and one.dtype != "float32":
            part = f"tf.cast({part}, tf.float32)"
        lines.append(f"    total += {part}")
    if configuration.compute_dtype:
        lines[1] = f"    total = tf.zeros([], {configuration.compute_dtype!r})"
    lines.append("    return total")
    return lines


def _part(loss: str, value: str, factor: str) -> str:
    if loss == "square":
        return f"tf.reduce_sum({value} * {value} * {factor})"
    if loss == "tanh":
        return f"tf.reduce_sum(tf.tanh({value} * {factor}))"
    if loss == "while":
        body = f"lambda x: [x * {factor}], [tf.identity({value})], maximum_iterations=3"
        return f"tf.reduce_sum(tf.while_loop(lambda _: True, {body})[0])"
    if loss == "matmul":
        # A gradient that is no product, as those of layers, which the core may concatenate.
        row, column = f"tf.reshape({value}, [1, -1])", f"tf.reshape({factor}, [-1, 1])"
        return f"tf.reduce_sum(tf.matmul({row}, {column}))"
    if loss == "cond":
        return (
            f"tf.cond(tf.reduce_sum({factor}) > 0, "
            f"lambda: tf.reduce_sum({value} * {factor}), "
            f"lambda: tf.reduce_sum(tf.square({value}) * {factor}))"
        )
    return f"tf.reduce_sum({value} * {factor})"


def _between(configuration: Configuration) -> list[str]:
    some = "if g is not None else None for g in gradients"
    return {
        "nothing": [],
        "clip_by_global_norm": ["gradients, _ = tf.clip_by_global_norm(gradients, 1.0)"],
        "clip_by_value": [
            f"gradients = [tf.clip_by_value(tf.convert_to_tensor(g), -0.5, 0.5) {some}]"
        ],
        "cast": [
            "pairs = zip(gradients, variables)",
            "gradients = [tf.cast(g, v.dtype) if g is not None else None for g, v in pairs]",
        ],
        "add_n": [f"gradients = [tf.add_n([tf.convert_to_tensor(g)] * 3) {some}]"],
        "accumulate": [
            "gradients = [",
            "    s.assign_add(tf.convert_to_tensor(g)) + 0 if g is not None else None",
            "    for g, s in zip(gradients, sums)",
            "]",
        ],
        "identity": [f"gradients = [tf.identity(tf.convert_to_tensor(g)) {some}]"],
    }[configuration.between]
