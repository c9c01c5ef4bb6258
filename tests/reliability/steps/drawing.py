# SPDX-License-Identifier: Apache-2.0
"""Draws configurations at random, most of which stock can run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from tests.reliability.steps import subclasses
from tests.reliability.steps.configuration import (
    BETWEEN,
    FAULTS,
    LOSSES,
    STRUCTURES,
    WAYS,
    Configuration,
    Variable,
)

T = TypeVar("T")
MOMENTUM = {"momentum": (0.0, 0.5, 0.9), "nesterov": (False, True)}
EPSILON = {"epsilon": (1e-7, 1e-3)}
BETAS = {"beta_1": (0.9, 0.5), "beta_2": (0.999, 0.9), **EPSILON}
RMSPROP = {"rho": (0.9, 0.5), "momentum": (0.0, 0.5), "centered": (False, True), **EPSILON}
FTRL = {
    "learning_rate_power": (-0.5, 0.0, -0.75),
    "initial_accumulator_value": (0.1, 0.5),
    "l1_regularization_strength": (0.0, 0.01),
    "l2_regularization_strength": (0.0, 0.01),
    "l2_shrinkage_regularization_strength": (0.0, 0.01),
    "beta": (0.0, 0.1),
}
ADAGRAD = {"initial_accumulator_value": (0.1, 0.5)}
OPTIMIZERS: dict[str, dict[str, dict[str, Sequence[Any]]]] = {
    "new": {
        "SGD": MOMENTUM,
        "Adam": {**BETAS, "amsgrad": (False, True)},
        "AdamW": {**BETAS, "amsgrad": (False, True)},
        "Adagrad": {**ADAGRAD, **EPSILON},
        "Adadelta": {"rho": (0.95, 0.5), **EPSILON},
        "Adamax": BETAS,
        "Nadam": BETAS,
        "RMSprop": RMSPROP,
        "Ftrl": FTRL,
        "Adafactor": {
            "beta_2_decay": (-0.8, -0.5),
            "relative_step": (True, False),
            "clip_threshold": (1.0, 0.5),
        },
        "Lion": {"beta_1": (0.9, 0.5), "beta_2": (0.99, 0.9)},
    },
    "legacy": {
        "SGD": MOMENTUM,
        "Adam": {**BETAS, "amsgrad": (False, True)},
        "Adagrad": {**ADAGRAD, **EPSILON},
        "Adadelta": {"rho": (0.95, 0.5), **EPSILON},
        "Adamax": BETAS,
        "Nadam": BETAS,
        "RMSprop": RMSPROP,
        "Ftrl": FTRL,
    },
    "v1": {
        "GradientDescentOptimizer": {},
        "MomentumOptimizer": {"momentum": (0.5, 0.9), "use_nesterov": (False, True)},
        "AdamOptimizer": {"beta1": (0.9, 0.5), "epsilon": (1e-8, 1e-3)},
        "AdagradOptimizer": ADAGRAD,
        "AdadeltaOptimizer": {"rho": (0.95, 0.5)},
        "RMSPropOptimizer": {"decay": (0.9, 0.5), "centered": (False, True)},
        "FtrlOptimizer": {
            "l1_regularization_strength": (0.0, 0.01),
            "l2_regularization_strength": (0.0, 0.01),
        },
        "ProximalGradientDescentOptimizer": {"l1_regularization_strength": (0.0, 0.01)},
        "ProximalAdagradOptimizer": {"l1_regularization_strength": (0.0, 0.01)},
    },
}
OF_ALL: dict[str, dict[str, Sequence[Any]]] = {
    "new": {
        "weight_decay": (0.01, 0.1),
        "clipnorm": (1.0, 0.1),
        "clipvalue": (0.5,),
        "global_clipnorm": (1.0, 0.1),
        "use_ema": (True,),
        "jit_compile": (False, True),
    },
    "legacy": {
        "decay": (0.1,),
        "clipnorm": (1.0, 0.1),
        "clipvalue": (0.5,),
        "global_clipnorm": (1.0, 0.1),
    },
    "v1": {},
}
_DECAY = {"initial_learning_rate": 0.1, "decay_steps": 2}
SCHEDULES: tuple[dict[str, Any], ...] = (
    {"schedule": "ExponentialDecay", **_DECAY, "decay_rate": 0.5},
    {"schedule": "InverseTimeDecay", **_DECAY, "decay_rate": 0.5},
    {"schedule": "CosineDecay", **_DECAY},
    {"schedule": "PolynomialDecay", **_DECAY},
    {"schedule": "PiecewiseConstantDecay", "boundaries": [1, 2], "values": [0.5, 0.25, 0.1]},
)
DYNAMIC_SCALES = (2.0**15, 2.0**15, 2.0**15, 1.0, 3.0, 0.125, 2.0**30, 2.0**127, 1e-3, 1000.0)
FIXED_SCALES = (1.0, 3.0, 128.0, 0.5, 1000.0, 2.0**15)
EVENT_SCALES = (0.125, 0.5, 0.3, 3.0, 2.0**20, 2.0**-20)
SHAPES = ((), (0,), (1,), (2,), (3, 4), (17,), (511,), (512,), (513,), (4095,), (4096,), (70, 60))
DTYPES = (*("float32",) * 3, "float16", "bfloat16", "float64", "mixed")
FAMILIES = (*("new",) * 5, *("legacy",) * 4, "v1")
MODES = {"eager": 25, "function": 35, "jit": 15, "replicas": 8, "replicas-eager": 4, "graph": 13}


class Draw:
    """Draws one configuration after another from a seed."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)

    def _one(self, choices: Sequence[T]) -> T:
        return choices[int(self._chance.integers(len(choices)))]

    def _is(self, share: float) -> bool:
        return bool(self._chance.random() < share)

    def configuration(self) -> Configuration:
        """Draws a configuration."""
        mode = str(self._chance.choice([*MODES], p=np.array([*MODES.values()]) / 100))
        family = self._one(("legacy", "v1") if mode == "graph" else FAMILIES)
        optimizer = self._one(tuple(OPTIMIZERS[family]))
        subclass = ""
        if family != "v1" and self._is(0.25):
            subclass = self._one(subclasses.NAMES[: -1 if family == "legacy" else None])
        traced = mode in ("function", "jit")
        structure = self._one(STRUCTURES) if traced and self._is(0.5) else "plain"
        dynamic = self._is(0.75)
        scale = self._one(DYNAMIC_SCALES if dynamic else FIXED_SCALES)
        api = "v1" if family == "v1" else self._one(("public", "public", "experimental"))
        if scale < 1 and api != "public":
            scale = 1.0
        way = self._one(WAYS)
        if family == "v1" and way == "given":
            way = "tape"
        event = self._one(("", "", "assign", "restore")) if dynamic else ""
        if structure.startswith("saved") or (mode == "graph" and event == "restore"):
            event = ""
        variables = self._variables(family)
        is_mixed = len({one.dtype for one in variables}) > 1
        between = self._one(BETWEEN) if way != "minimize" and self._is(0.4) else "nothing"
        if is_mixed and between == "clip_by_global_norm":
            between = "nothing"
        return Configuration(
            api=api,
            family=family,
            optimizer=optimizer,
            options=self._options(family, optimizer),
            subclass=subclass,
            dynamic=dynamic,
            initial_scale=scale,
            growth_steps=int(self._one((1, 2, 3, 2000))) if dynamic else 2000,
            variables=variables,
            steps=tuple(
                self._one(FAULTS) if self._is(0.4) else "normal"
                for _ in range(self._chance.integers(2, 6))
            ),
            mode=mode,
            structure=structure,
            way=way,
            loss=self._loss() if way != "given" else "linear",
            compute_dtype=self._one(("", "", "", "float16", "bfloat16")) if way != "given" else "",
            between=between,
            reuses=way != "minimize" and self._is(0.2),
            returns=self._is(0.1),
            event=event,
            event_scale=self._one(EVENT_SCALES) if event else 0.125,
            unknown_shapes=mode == "function" and self._is(0.2),
            seed=int(self._chance.integers(1_000_000)),
        )

    def _loss(self) -> str:
        # As the gradients of most layers are no products, either.
        return "matmul" if self._is(0.4) else str(self._one(LOSSES))

    def _options(self, family: str, optimizer: str) -> dict[str, Any]:
        options: dict[str, Any] = {"learning_rate": self._one((0.25, 0.1, 0.001))}
        if family != "v1" and self._is(0.2):
            options["learning_rate"] = dict(self._one(SCHEDULES))
        for name, choices in OPTIMIZERS[family][optimizer].items():
            # An argument without a default.
            if optimizer == "MomentumOptimizer" or self._is(0.4):
                options[name] = self._one(choices)
        for name, choices in OF_ALL[family].items():
            if self._is(0.12) and not (name.endswith("norm") and "clipnorm" in options):
                options[name] = self._one(choices)
        if options.get("use_ema"):
            options["ema_momentum"] = self._one((0.99, 0.5))
            options["ema_overwrite_frequency"] = self._one((None, 1, 2))
        return options

    def _variables(self, family: str) -> tuple[Variable, ...]:
        count = 72 if self._is(0.03) else int(self._chance.integers(1, 13))
        count = min(count, int(self._chance.integers(1, 13))) if count < 72 else count
        dtype = self._one(DTYPES)
        if family == "v1":
            dtype = "float32"
        shape = self._one(SHAPES) if self._is(0.3) else None
        variables = []
        for _ in range(count):
            one = shape if shape is not None else self._one(SHAPES)
            kind = "dense"
            if variables and self._is(0.1):
                kind = "none"
            elif self._is(0.15):
                kind, one = "sparse", self._one(((5, 2), (3,), (600, 4)))
            own = dtype
            if dtype == "mixed":
                own = self._one(("float32", "float16", "float64", "bfloat16"))
            variables.append(Variable(one, own, kind))
        return tuple(variables)
