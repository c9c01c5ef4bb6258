# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from tests.support import NAN, Mode, scalar_spec

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]


@pytest.fixture(params=["fixed", "dynamic"])
def loss_scale(request: pytest.FixtureRequest) -> LossScale:
    """A loss scale of 8, of each kind."""
    return FixedLossScale(8) if request.param == "fixed" else DynamicLossScale(8)


def test_it_is_a_tensor_and_a_loss_scale(loss_scale: LossScale) -> None:
    assert isinstance(loss_scale, tf.Tensor)
    assert isinstance(loss_scale, LossScale)
    assert tf.is_tensor(loss_scale)
    assert callable(loss_scale)


def test_it_has_the_dtype_and_shape_of_a_float32_scalar(loss_scale: LossScale) -> None:
    assert loss_scale.dtype == tf.float32
    assert loss_scale.shape == []
    assert loss_scale.shape.rank == loss_scale.ndim == 0
    assert tf.shape(loss_scale).shape == [0]
    assert loss_scale.get_shape() == tf.TensorShape([])


@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize("other", [3, 3.0, np.float32(3)], ids=["int", "float", "numpy"])
def test_operators_act_on_the_value_from_either_side(
    loss_scale: LossScale, operation: Callable[[Any, Any], Any], other: Any
) -> None:
    assert float(operation(loss_scale, other)) == np.float32(operation(8.0, 3.0))
    assert float(operation(other, loss_scale)) == np.float32(operation(3.0, 8.0))


@pytest.mark.parametrize("operation", BINARY)
def test_operators_act_on_the_value_with_a_tensor_on_either_side(
    mode: Mode, operation: Callable[[Any, Any], Any]
) -> None:
    loss_scale = DynamicLossScale(8)
    run = mode.compile(
        lambda x: (operation(loss_scale, x), operation(x, loss_scale)), scalar_spec()
    )
    assert run(3.0) == pytest.approx((operation(8.0, 3.0), operation(3.0, 8.0)))


@pytest.mark.parametrize("operation", [*BINARY, *COMPARISONS])
def test_operators_act_on_two_loss_scales(operation: Callable[[Any, Any], Any]) -> None:
    result = operation(FixedLossScale(8), DynamicLossScale(4))
    assert result == operation(8.0, 4.0)


@pytest.mark.parametrize("operation", COMPARISONS)
def test_comparisons_act_on_the_value_from_either_side(
    loss_scale: LossScale, operation: Callable[[Any, Any], Any]
) -> None:
    for other in (7, 8, 9.0):
        assert bool(operation(loss_scale, other)) == operation(8, other)
        assert bool(operation(other, loss_scale)) == operation(other, 8)


def test_unary_operators_act_on_the_value(loss_scale: LossScale) -> None:
    assert float(-loss_scale) == -8.0
    assert float(abs(loss_scale)) == 8.0


def test_it_equals_its_value_and_no_string_or_none(loss_scale: LossScale) -> None:
    assert loss_scale == 8
    assert 8.0 == loss_scale  # noqa: SIM300  # the reflected operator is the point
    assert not loss_scale == 9  # noqa: SIM201  # the operator is the point
    assert loss_scale != 9
    assert loss_scale == loss_scale  # noqa: PLR0124  # the operator is what is tested
    assert (loss_scale == "dynamic") is False
    assert (loss_scale != "dynamic") is True
    assert ("dynamic" == loss_scale) is False  # noqa: SIM300  # the operator is what is tested
    assert (loss_scale == None) is False  # noqa: E711  # the operator is what is tested
    assert (loss_scale != None) is True  # noqa: E711  # the operator is what is tested


def test_it_can_be_a_key_by_identity(loss_scale: LossScale) -> None:
    assert {loss_scale: 1}[loss_scale] == 1
    assert hash(loss_scale) == hash(loss_scale)
    assert len({FixedLossScale(8), FixedLossScale(9)}) == 2


def test_it_is_true_as_every_non_zero_tensor_is(loss_scale: LossScale) -> None:
    assert loss_scale
    assert bool(loss_scale) is True


def test_python_and_numpy_conversions_give_the_value(loss_scale: LossScale) -> None:
    assert float(loss_scale) == 8.0
    assert int(loss_scale) == 8
    assert type(float(loss_scale)) is float
    assert loss_scale.numpy() == 8.0
    assert loss_scale.numpy().dtype == np.float32
    assert np.asarray(loss_scale).dtype == np.float32
    assert np.array(loss_scale, np.float64).dtype == np.float64
    assert np.log2(loss_scale) == 3.0
    assert math.sqrt(loss_scale) == pytest.approx(8**0.5)


def test_formatting_gives_the_value_and_str_says_what_it_is(loss_scale: LossScale) -> None:
    assert f"{loss_scale:.2f}" == "8.00"
    assert "LossScale(" in f"{loss_scale}"
    assert "LossScale(" in str(loss_scale)
    assert "%.1f" % loss_scale == "8.0"  # noqa: UP031  # what the programs of that time wrote


def test_it_has_no_length_and_cannot_be_iterated_over(loss_scale: LossScale) -> None:
    with pytest.raises(TypeError):
        len(loss_scale)  # type: ignore[arg-type]  # the mistake that is tested
    with pytest.raises(TypeError):
        iter(loss_scale)


def test_an_unknown_attribute_is_an_attribute_error_that_names_it(loss_scale: LossScale) -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = loss_scale.no_such_thing
    assert not hasattr(loss_scale, "no_such_thing")


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "cast": lambda x: tf.cast(x, tf.float16),
    "cast to its own dtype": lambda x: tf.cast(x, tf.float32),
    "identity": tf.identity,
    "convert": tf.convert_to_tensor,
    "constant division": lambda x: 64.0 / x,
    "maximum": lambda x: tf.maximum(x, 1.0),
    "stack": lambda x: tf.stack([x, x])[1],
    "fill": lambda x: tf.fill([2], x)[0],
    "reshape": lambda x: tf.reshape(x, [1])[0],
    "where": lambda x: tf.where(x > 1.0, x, 0.0),
    "multiply": lambda x: tf.multiply(x, tf.ones([2]))[0],
    "reduce_sum": tf.reduce_sum,
    "add_n": lambda x: tf.add_n([x, tf.constant(0.0)]),
    "is_finite": lambda x: tf.where(tf.math.is_finite(x), 8.0, 0.0),
    "cond": lambda x: tf.cond(x > 1.0, lambda: x * 1.0, lambda: 0.0),
    "nest": lambda x: tf.nest.flatten({"a": x})[0] * 1.0,
    "map_structure": lambda x: tf.nest.map_structure(lambda y: y * 1.0, [x])[0],
    "raw operation": lambda x: tf.raw_ops.Identity(input=x),
    "stop_gradient": tf.stop_gradient,
    "ensure_shape": lambda x: tf.ensure_shape(x, []),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_tensorflow_functions_take_it(mode: Mode, name: str) -> None:
    loss_scale = DynamicLossScale(8)
    result = mode.compile(lambda: FUNCTIONS[name](loss_scale))()
    assert float(result) == 8.0
    # `tf.identity` and its like give the dtype of what was given.
    assert result.dtype == (np.float16 if name == "cast" else np.float32)


def test_it_stands_for_its_current_value_each_time_it_is_used() -> None:
    loss_scale = DynamicLossScale(8, 1)
    snapshot = tf.identity(loss_scale)

    @tf.function
    def read() -> tf.Tensor:
        return loss_scale * 1.0

    assert read() == 8
    loss_scale.update([])
    assert read() == 16
    assert loss_scale == 16
    assert snapshot == 8


def test_a_function_takes_it_as_an_argument() -> None:
    loss_scale, traces = DynamicLossScale(8, 1), []

    @tf.function
    def double(x: Any) -> tf.Tensor:
        traces.append(x)
        return x * 2.0

    assert double(loss_scale) == 16
    loss_scale.update([])
    assert double(loss_scale) == 32
    assert double(tf.constant(1.0)) == 2
    assert len(traces) == 1


def test_a_function_with_an_input_signature_takes_it_as_an_argument() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def double(x: tf.Tensor) -> tf.Tensor:
        return x * 2.0

    assert double(FixedLossScale(8)) == 16
    assert double(DynamicLossScale(8)) == 16


def test_a_function_returns_it() -> None:
    loss_scale = DynamicLossScale(8, 1)

    @tf.function
    def give() -> Any:
        return {"loss_scale": loss_scale}

    assert float(give()["loss_scale"]) == 8
    loss_scale.update([])
    assert float(give()["loss_scale"]) == 16


def test_a_session_fetches_it() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        dynamic, fixed = DynamicLossScale(8), FixedLossScale(4)
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(dynamic) == 8
        assert session.run([dynamic, {"a": fixed}]) == [8, {"a": 4}]


def test_in_a_graph_it_has_an_operation_and_the_graph() -> None:
    with tf.Graph().as_default() as graph:
        loss_scale = FixedLossScale(8)
        assert loss_scale.graph is graph
        assert isinstance(loss_scale.op, tf.Operation)


def test_a_tape_watches_it_without_failing(loss_scale: LossScale) -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(loss_scale)
        y = x * x * loss_scale
    assert tape.gradient(y, x) == 48


def test_it_can_be_printed(loss_scale: LossScale, capfd: pytest.CaptureFixture[str]) -> None:
    tf.print("scale", loss_scale)
    assert "scale 8" in capfd.readouterr().err


def test_variables_can_be_made_and_assigned_of_it(loss_scale: LossScale) -> None:
    variable = tf.Variable(loss_scale)
    assert variable.dtype == tf.float32
    assert variable == 8
    assert variable.assign_add(loss_scale) == 16
    assert variable.assign(loss_scale) == 8


def test_a_deep_copy_has_a_state_of_its_own() -> None:
    loss_scale = DynamicLossScale(8, 1)
    copied = copy.deepcopy(loss_scale)
    assert isinstance(copied, DynamicLossScale)
    loss_scale.update([])
    assert (float(loss_scale), float(copied)) == (16, 8)


def test_a_shallow_copy_shares_the_state() -> None:
    loss_scale = DynamicLossScale(8, 1)
    copied = copy.copy(loss_scale)
    assert type(copied) is DynamicLossScale
    loss_scale.update([tf.constant(NAN)])
    assert copied == 4


def test_keras_metrics_take_it(loss_scale: LossScale) -> None:
    mean = tf_keras.metrics.Mean()
    mean(loss_scale)
    assert mean.result() == 8


def test_it_can_control_what_comes_after_it(mode: Mode) -> None:
    loss_scale = DynamicLossScale(8)

    def read() -> tf.Tensor:
        with tf.control_dependencies([loss_scale]):
            return tf.identity(1.0)

    assert mode.compile(read)() == 1.0


def test_a_users_own_loss_scale_is_a_tensor_too() -> None:
    class Own(LossScale):
        def __call__(self) -> tf.Tensor:
            return tf.constant(8.0)

        def update(self, grads: Any) -> tuple[Any, Any]:
            return None, True

        def get_config(self) -> dict[str, Any]:
            return {}

    assert isinstance(Own(), tf.Tensor)
    assert float(2.0 * Own()) == 16.0
    assert tf.cast(Own(), tf.float16).dtype == tf.float16
