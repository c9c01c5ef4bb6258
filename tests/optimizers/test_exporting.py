# SPDX-License-Identifier: Apache-2.0
"""Training steps in the forms in which programs pass functions on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale import LossScaleOptimizer
from tests.support import NAN, Family

STEPS = [1.0, NAN, 2.0]


def module(optimizer_class: Any, family: Family, size: int) -> tf.Module:
    """A module with a training step of six variables, which returns the first."""
    made = tf.Module()
    made.variables_of_step = [tf.Variable(tf.ones([size])) for _ in range(6)]
    made.optimizer = optimizer_class(family.sgd(0.5), initial_scale=8.0)

    @tf.function(input_signature=[tf.TensorSpec([size])])
    def step(x: tf.Tensor) -> tf.Tensor:
        optimizer, variables = made.optimizer, made.variables_of_step
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(variable * x) for variable in variables])
            loss = optimizer.get_scaled_loss(loss)
        gradients = optimizer.get_unscaled_gradients(tape.gradient(loss, variables))
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return variables[0].read_value()

    made.step = step
    return made


def in_tensorflow_lite(step: tf.Module, folder: Path) -> Callable[[np.ndarray[Any, Any]], Any]:
    tf.saved_model.save(step, str(folder), signatures={"step": step.step.get_concrete_function()})
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder), signature_keys=["step"])
    converter.target_spec.supported_ops = [
        tf.lite.OpsSet.TFLITE_BUILTINS,
        tf.lite.OpsSet.SELECT_TF_OPS,
    ]
    converter.experimental_enable_resource_variables = True
    interpreter = tf.lite.Interpreter(model_content=converter.convert())
    runner = interpreter.get_signature_runner("step")
    return lambda x: next(iter(runner(x=x).values()))


def compiled_around_concrete(step: tf.Module, folder: Path) -> Callable[[Any], Any]:
    concrete = step.step.get_concrete_function()

    def around(x: Any) -> tf.Tensor:
        assert step  # It holds the variables.
        return concrete(x)

    return tf.function(around, jit_compile=True)


def compiled_around_traced(step: tf.Module, folder: Path) -> Callable[[Any], Any]:
    step.step.get_concrete_function()

    def around(x: Any) -> tf.Tensor:
        return step.step(x)

    return tf.function(around, jit_compile=True)


def compiled_around_loaded(step: tf.Module, folder: Path) -> Callable[[Any], Any]:
    tf.saved_model.save(step, str(folder))
    loaded = tf.saved_model.load(str(folder))

    def around(x: Any) -> tf.Tensor:
        return loaded.step(x)

    return tf.function(around, jit_compile=True)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("size", [2, 5000])
@pytest.mark.parametrize(
    "passed_on",
    [in_tensorflow_lite, compiled_around_concrete, compiled_around_traced, compiled_around_loaded],
)
def test_a_step_passed_on_does_what_tensorflows_own_does(
    passed_on: Callable[[tf.Module, Path], Callable[[Any], Any]],
    family: Family,
    size: int,
    tmp_path: Path,
) -> None:
    paths = []
    for number, wrapper in enumerate(
        (LossScaleOptimizer, tf_keras.mixed_precision.LossScaleOptimizer)
    ):
        run = passed_on(module(wrapper, family, size), tmp_path / str(number))
        paths.append([np.asarray(run(np.full(size, x, np.float32))).tolist() for x in STEPS])
    assert paths[0] == paths[1] == [[value] * size for value in (0.5, 0.5, -0.5)]
