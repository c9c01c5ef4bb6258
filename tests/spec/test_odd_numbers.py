# SPDX-License-Identifier: Apache-2.0
"""Numbers with which no generation trains, or not every one the same, are not called lossless."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale.formats import Verdict, convert
from compat_lossscale.formats.verification import ArtefactStatus, verify_artefact
from compat_lossscale.spec import Generation, LossScaleSpec
from compat_lossscale.spec.wrapper_configs import read_wrapper_config
from tests.formats.samples import SGD, import_keras, import_tf_keras, tf23


def verdicts(spec: LossScaleSpec, target: Generation) -> dict[str, Verdict]:
    conversion = convert(tf23(SGD, spec), target)
    return {field.name: field.verdict for field in conversion.fields}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (LossScaleSpec(initial_scale=1e300), "A loss scale of 1e+300 is inf as float32"),
        (LossScaleSpec.fixed(-1e300), "A loss scale of -1e+300 is -inf as float32"),
        (LossScaleSpec.fixed(0), "A loss scale of 0 is 0 as float32"),
        (LossScaleSpec(initial_scale=1e-50), "A loss scale of 1e-50 is 0 as float32"),
        (LossScaleSpec(growth_steps=0), "There are 0 good steps before growth"),
        (LossScaleSpec(growth_steps=2**63), f"There are {2**63} good steps before growth"),
    ],
)
@pytest.mark.parametrize("form", ["tf2.3", "tf2.4"])
def test_what_trains_nowhere_or_in_each_generation_otherwise_is_no_config(
    spec: LossScaleSpec, message: str, form: str, tmp_path: Path
) -> None:
    key = "optimizer" if form == "tf2.3" else "inner_optimizer"
    stated: dict[str, Any] = (
        {"loss_scale": spec.to_loss_scale_config()} if form == "tf2.3" else spec.to_config(form)
    )
    path = tmp_path / "config.json"
    path.write_text(json.dumps({key: SGD, **stated}))
    result = verify_artefact(str(path), targets=[Generation.TF_KERAS])
    assert (result.status, message in result.error) == (ArtefactStatus.UNREADABLE, True), result


def test_the_largest_numbers_that_train_are_kept() -> None:
    spec = LossScaleSpec(initial_scale=2.0**127, growth_steps=2**63 - 1)
    for target in Generation:
        assert Verdict.LOST not in verdicts(spec, target).values()


def nested(form: Generation) -> dict[str, Any]:
    inner = {"class_name": "LossScaleOptimizer", "config": later(SGD, form)}
    return later(inner, form)


def later(inner: dict[str, Any], form: Generation) -> dict[str, Any]:
    key = "optimizer" if form is Generation.TF23 else "inner_optimizer"
    return {key: inner, **LossScaleSpec(initial_scale=8).to_config(form)}


@pytest.mark.parametrize("form", list(Generation))
def test_two_wrappers_around_each_other_are_no_config(form: Generation, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(nested(form)))
    result = verify_artefact(str(path), targets=[form])
    assert result.status is ArtefactStatus.UNREADABLE
    assert "which scales the loss itself" in result.error


def scales(wrap: Any, spec: LossScaleSpec, gradients: list[float]) -> list[float]:
    """The loss scales of an optimizer of Keras 3 or tf-keras after one step after another."""
    import tensorflow as tf

    optimizer = wrap(initial_scale=spec.initial_scale, dynamic_growth_steps=spec.growth_steps)
    is_keras3 = hasattr(optimizer, "scale_loss")
    variable = import_keras().Variable(1.0) if is_keras3 else tf.Variable(1.0)
    found = []
    for gradient in gradients:
        if is_keras3:
            scaled = optimizer.scale_loss(tf.constant(gradient))
            optimizer.apply([scaled], [variable])
            found.append(float(optimizer.dynamic_scale))
        else:
            scaled = optimizer.get_scaled_loss(tf.constant(gradient))
            unscaled = optimizer.get_unscaled_gradients([scaled])
            optimizer.apply_gradients(zip(unscaled, [variable], strict=True))
            found.append(float(optimizer.loss_scale))
    return found


@pytest.mark.parametrize(
    ("spec", "gradient", "in_keras3", "in_tf_keras"),
    [
        (LossScaleSpec(initial_scale=0, growth_steps=2), 1.0, [0.0, 0.0], [1.0, 1.0]),
        (LossScaleSpec(initial_scale=8, growth_steps=0), 1.0, [8.0, 8.0], [16.0, 32.0]),
        (LossScaleSpec(initial_scale=8, growth_steps=-3), 1.0, [8.0, 8.0], [16.0, 32.0]),
        (LossScaleSpec(initial_scale=0.5), float("nan"), [0.25, 0.125], [1.0, 1.0]),
    ],
)
def test_keras_3_and_tf_keras_do_with_odd_numbers_what_is_said_of_them(
    spec: LossScaleSpec, gradient: float, in_keras3: list[float], in_tf_keras: list[float]
) -> None:
    tf_keras, keras = import_tf_keras(), import_keras()
    gradients = [gradient, gradient]
    of_keras3 = functools.partial(keras.optimizers.LossScaleOptimizer, keras.optimizers.SGD(0.5))
    assert scales(of_keras3, spec, gradients) == in_keras3
    of_tf_keras = functools.partial(
        tf_keras.mixed_precision.LossScaleOptimizer, tf_keras.optimizers.SGD(0.5)
    )
    assert scales(of_tf_keras, spec, gradients) == in_tf_keras


def test_a_negative_loss_scale_is_read() -> None:
    assert read_wrapper_config(tf23(SGD, LossScaleSpec(initial_scale=-8))).spec.initial_scale == -8
