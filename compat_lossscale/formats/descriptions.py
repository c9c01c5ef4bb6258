# SPDX-License-Identifier: Apache-2.0
"""Describes the configs and the state of artefacts in words."""

from __future__ import annotations

from compat_lossscale.formats.artefact import LiveState, StatedConfig
from compat_lossscale.formats.config import read_wrapper_config
from compat_lossscale.formats.inner_optimizer import class_name
from compat_lossscale.formats.verification import printable

_SAID = ("growth_steps", "growth_factor")
"""The fields of a rule that are said without it."""


def describe_config(stated: StatedConfig) -> str:
    """Describes a config: its place, its loss scale and its optimizer."""
    spec, inner = stated.spec, read_wrapper_config(stated.config).inner
    if spec.dynamic:
        rule = {} if spec.rule is None else spec.rule.to_config()
        more = "".join(f", {name} {value}" for name, value in rule.items() if name not in _SAID)
        scale = (
            f"dynamic loss scale, initially {spec.initial_scale:g}, "
            f"times {spec.multiplier:g} after {spec.growth_steps} good steps{more}"
        )
    else:
        scale = f"fixed loss scale {spec.initial_scale:g}"
    around = f", around {printable(class_name(inner))}" if inner is not None else ""
    by_keras = ", wrapped by Keras itself" if stated.automatic else ""
    return f"{printable(stated.where or 'config')}: {scale}{around}{by_keras}"


def describe_state(state: LiveState) -> str:
    """Describes the saved state of one optimizer."""
    known = {
        "loss scale": state.loss_scale,
        "good steps": state.good_steps,
        "hysteresis left": state.hysteresis_left,
        "iterations": state.iterations,
    }
    parts = [f"{name} {value:g}" for name, value in known.items() if value is not None]
    return f"state of {printable(state.where)}: {', '.join([*parts, f'{state.slots} slots'])}"
