# SPDX-License-Identifier: Apache-2.0
"""For test suites: whether two configs have the same meaning, or two optimizers behave the same.

Configs need no TensorFlow.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from compat_lossscale._require import require_tensorflow
from compat_lossscale.errors import (
    CompatLossScaleError,
    InexpressibleLossScaleError,
    LossScaleArgumentError,
)
from compat_lossscale.formats.conversion import convert, meaning
from compat_lossscale.spec import Generation
from compat_lossscale.spec.inner_optimizers import SCHEDULES, is_known


def configs_equivalent(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether two loss-scale configs of any generations have the same meaning.

    They have if their loss scales are equal and they wrap optimizers of the same class with the
    same settings. Names, `jit_compile`, the form of a generation and the family of the wrapped
    optimizer are not compared. Numbers are compared as float32, because the older optimizers keep
    them as float32.

    Args:
        a: A config, bare or in `{"class_name", "config"}`.
        b: Another config.

    Returns:
        Whether training with both configs is the same.

    Raises:
        ConfigFormatError: One of them is not a config of a loss scale.
        LossScaleArgumentError: One of them states an invalid loss scale.
    """
    return _without_names(a) == _without_names(b)


def _without_names(config: Mapping[str, Any]) -> dict[str, Any]:
    fields = meaning(config)
    return {key: value for key, value in fields.items() if key != "optimizer.name"}


def convert_config(config: Mapping[str, Any], *, to: Generation | str) -> dict[str, Any]:
    """Converts a loss-scale config to another generation's form, without loss.

    Args:
        config: A config of any generation, bare as `get_config()` gives it or in
            `{"class_name", "config"}`. It is not changed.
        to: The generation, or its value: `"tf2.3"`, `"tf2.4"`, `"tf-keras"` or `"keras3"`.

    Returns:
        The config in that form, bare if `config` is.

    Raises:
        InexpressibleLossScaleError: That form cannot express something in `config`. The message
            says what and why. `compat_lossscale.formats.convert` converts in spite of that.
        ConfigFormatError: `config` is not a config of a loss scale.
        ValueError: There is no such generation.
    """
    try:
        generation = Generation(to)
    except ValueError:
        known = ", ".join(generation.value for generation in Generation)
        raise LossScaleArgumentError(
            f"There is no generation {to!r}. Convert to one of: {known}."
        ) from None
    conversion = convert(config, generation)
    if conversion.lost or conversion.config is None:
        reasons = "; ".join(f"{field.name}: {field.reason}" for field in conversion.lost)
        raise InexpressibleLossScaleError(
            f"The form of {generation.title} cannot express this config: {reasons}"
        )
    return conversion.config


STEPS = 40
"""The default number of steps of a comparison."""


def assert_equivalent(
    first: Any, second: Any, *, steps: int = STEPS, seed: int = 0, tolerance: float = 1e-6
) -> None:
    """Asserts that two loss-scale optimizers behave the same, step by step.

    Both get the same gradients, some of them not finite, for separate variables. After each step,
    the loss scale, the counter, whether the step was skipped, the iterations and the variables are
    compared. You cannot use the optimizers for anything else afterwards.

    Args:
        first: A loss-scale optimizer around a tf-keras optimizer, not used before.
        second: Another one.
        steps: The number of steps.
        seed: The seed of the gradients.
        tolerance: By how much variables may differ, relative to 1 or to their size.

    Raises:
        AssertionError: They differ. The message says at which step and in which value.
        MissingExtraError: TensorFlow or tf-keras is not installed.
    """
    difference = _first_difference(first, second, steps, seed, tolerance)
    if difference:
        raise AssertionError(difference)


class StockOutcome(enum.Enum):
    """The result of comparing an optimizer of this package with one of tf-keras."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NOT_COMPARED = "not compared"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The comparison of the two optimizers of one config.

    Attributes:
        outcome: The result.
        reason: What differs; why they are not compared; or the runs in which they are equal.
    """

    outcome: StockOutcome
    reason: str


def compare_with_stock(
    config: Mapping[str, Any], *, seeds: Sequence[int] = (0, 1, 2), steps: int = STEPS
) -> Comparison:
    """Builds a config's optimizer in this package and in tf-keras, and compares their behavior.

    Only classes of Keras itself are built, by name: nothing that a config names is imported.

    Raises:
        MissingExtraError: TensorFlow or tf-keras is not installed.
    """
    require_tensorflow("compat-lossscale verify --deep")
    try:
        converted = convert_config(config, to=Generation.TF_KERAS)
    except CompatLossScaleError as error:
        return Comparison(StockOutcome.NOT_COMPARED, f"stock tf-keras cannot have it. {error}")
    bare = converted["config"] if "class_name" in converted else converted
    inner_config = bare.get("inner_optimizer")
    if inner_config is None:
        return Comparison(StockOutcome.NOT_COMPARED, "it wraps no optimizer")
    if not is_known(inner_config) or not _has_known_schedule(inner_config["config"]):
        return Comparison(StockOutcome.NOT_COMPARED, "it names a class that is not Keras' own")
    from compat_lossscale.optimizers import LossScaleOptimizer, stock  # noqa: PLC0415  # TensorFlow

    classes = (LossScaleOptimizer, stock.BaseLossScaleOptimizer)
    try:
        for seed in seeds:
            ours, theirs = (_built(cls, bare) for cls in classes)
            difference = _first_difference(ours, theirs, steps, seed, 1e-6)
            if difference:
                return Comparison(StockOutcome.DIFFERENT, f"gradients of seed {seed}: {difference}")
    except Exception as error:
        # The values of a config can make an optimizer raise any error.
        reason = f"it cannot be built or trained: {type(error).__name__}: {error}"
        return Comparison(StockOutcome.DIFFERENT, reason)
    return Comparison(StockOutcome.EQUAL, f"over {len(seeds)} runs of {steps} steps")


def _has_known_schedule(settings: Mapping[str, Any]) -> bool:
    rate = settings.get("learning_rate")
    return not isinstance(rate, Mapping) or rate.get("class_name") in SCHEDULES


def _built(cls: Any, bare: Mapping[str, Any]) -> Any:
    import tf_keras  # noqa: PLC0415  # TensorFlow

    inner_config = dict(bare["inner_optimizer"])
    is_legacy = inner_config["module"] == "keras.optimizers.legacy"
    module = tf_keras.optimizers.legacy if is_legacy else tf_keras.optimizers
    settings = dict(inner_config["config"])
    rate = settings.get("learning_rate")
    if isinstance(rate, Mapping):
        schedule = getattr(tf_keras.optimizers.schedules, rate["class_name"])
        settings["learning_rate"] = schedule(**rate["config"])
    # Not by from_config, which imports the modules that a config names.
    optimizer = getattr(module, inner_config["class_name"])(**settings)
    keys = ("dynamic", "initial_scale", "dynamic_growth_steps")
    return cls(optimizer, **{key: bare[key] for key in keys})


def _first_difference(
    first: Any, second: Any, steps: int, seed: int, tolerance: float
) -> str | None:
    require_tensorflow("compat_lossscale.assert_equivalent")
    import tensorflow as tf  # noqa: PLC0415  # it has been asked for

    chance = random.Random(seed)
    start = [[chance.uniform(-1, 1) for _ in range(4)], [chance.uniform(-1, 1)]]
    runs = [(optimizer, [tf.Variable(value) for value in start]) for optimizer in (first, second)]
    for step in range(steps):
        gradients = [[chance.uniform(-2, 2) for _ in value] for value in start]
        if chance.random() < 0.25:
            gradients[chance.randrange(2)][0] = chance.choice([math.nan, math.inf, -math.inf])
        states = [_after_step(optimizer, variables, gradients) for optimizer, variables in runs]
        for name, value in states[0].items():
            if not _close(value, states[1][name], tolerance if name == "variables" else 0.0):
                other = states[1][name]
                return f"after step {step}, {name} is {value} in one and {other} in the other"
    return None


def _after_step(optimizer: Any, variables: list[Any], gradients: list[list[float]]) -> Any:
    import tensorflow as tf  # noqa: PLC0415  # it has been asked for

    before = [variable.numpy().tolist() for variable in variables]
    scaled = [tf.constant(gradient) * float(optimizer.loss_scale) for gradient in gradients]
    # There is no loss here. Without this, every run would warn of a forgotten loss.
    optimizer.get_scaled_loss(tf.constant(0.0))
    unscaled = optimizer.get_unscaled_gradients(scaled)
    optimizer.apply_gradients(list(zip(unscaled, variables, strict=True)))
    after = [variable.numpy().tolist() for variable in variables]
    counter = optimizer.dynamic_counter
    return {
        "loss_scale": float(optimizer.loss_scale),
        "dynamic_counter": None if counter is None else int(counter),
        "skipped": before == after,
        "iterations": int(optimizer.iterations),
        "variables": [number for value in after for number in value],
    }


def _close(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, list):
        return all(_close(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    if not tolerance or not math.isfinite(a):
        return bool(a == b)
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
