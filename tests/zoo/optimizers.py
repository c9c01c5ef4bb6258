# SPDX-License-Identifier: Apache-2.0
"""Every optimizer of `keras.optimizers`, with its main options."""

from __future__ import annotations

import inspect
from typing import Any

from tests.zoo.families import Family, Side

OWN: dict[str, list[dict[str, Any]]] = {
    "Adadelta": [{}, {"rho": 0.9}],
    "Adafactor": [{}, {"relative_step": False}],
    "Adagrad": [{}, {"initial_accumulator_value": 0.5}],
    "Adam": [{}, {"amsgrad": True}, {"beta_1": 0.5, "epsilon": 1e-3}],
    "AdamW": [{}, {"weight_decay": 0.1}],
    "Adamax": [{}],
    "Ftrl": [{}, {"l1_regularization_strength": 0.01, "l2_regularization_strength": 0.01}],
    "Lamb": [{}],
    "Lion": [{}],
    "MultiOptimizer": [{}],
    "Muon": [{}],
    "Nadam": [{}],
    "RMSprop": [{}, {"momentum": 0.9}, {"centered": True}],
    "SGD": [{"momentum": 0.0}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}],
    "ScheduleFreeAdamW": [{}, {"warmup_steps": 2}],
}
"""The options of each. A class of Keras without a row fails a test."""
SCHEDULES: dict[str, dict[str, Any]] = {
    "ExponentialDecay": {"decay_steps": 2, "decay_rate": 0.5},
    "CosineDecay": {"decay_steps": 4},
    "PiecewiseConstantDecay": {},
}
_CLIPPING: list[dict[str, Any]] = [{"clipnorm": 0.1}, {"clipvalue": 0.01}, {"global_clipnorm": 0.1}]
COMMON: dict[str, list[dict[str, Any]]] = {
    "legacy": [*_CLIPPING, {"decay": 0.1}],
    "new": [
        *_CLIPPING,
        {"weight_decay": 0.1},
        {"use_ema": True},
        {"use_ema": True, "ema_overwrite_frequency": 2},
        {"jit_compile": True},
    ],
    "keras3": [
        *_CLIPPING,
        {"weight_decay": 0.1},
        {"use_ema": True},
        {"use_ema": True, "ema_overwrite_frequency": 2},
        {"gradient_accumulation_steps": 2},
    ],
}
"""What every optimizer of a family takes; tried with SGD and with Adam."""
NO_OPTIMIZERS = {"Optimizer", "LossScaleOptimizer", "OptimizerMap"}


def names(family: Family) -> list[str]:
    """The classes of `keras.optimizers` that can be wrapped."""
    found = [name for name, one in vars(family.optimizers).items() if inspect.isclass(one)]
    return sorted(set(found) - NO_OPTIMIZERS)


def cases(family: Family) -> list[tuple[str, dict[str, Any]]]:
    """Optimizers by name, each with options."""
    own = [(name, options) for name in names(family) for options in OWN.get(name, [])]
    common = COMMON["keras3" if family.is_keras_3 else family.name]
    both = [(name, options) for name in ("SGD", "Adam") for options in common]
    return [*own, *both, *(("SGD", {"learning_rate": name}) for name in SCHEDULES)]


def words(name: str, options: dict[str, Any]) -> str:
    """An optimizer's name with its options."""
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})"


def optimizer(side: Side, name: str, options: dict[str, Any]) -> Any:
    """Makes an optimizer, without a wrapper."""
    if name == "MultiOptimizer":
        kinds = side.family.optimizers
        parts = {".*kernel": side.optimizer("Adam")}
        return kinds.MultiOptimizer(kinds.OptimizerMap(side.optimizer("SGD"), parts))
    schedule = options.get("learning_rate")
    if schedule == "PiecewiseConstantDecay":
        made = side.keras.optimizers.schedules.PiecewiseConstantDecay([2, 4], [0.1, 0.05, 0.01])
    elif schedule:
        made = getattr(side.keras.optimizers.schedules, schedule)(0.05, **SCHEDULES[schedule])
    else:
        return side.optimizer(name, **options)
    return side.optimizer(name, learning_rate=made)
