# SPDX-License-Identifier: Apache-2.0
"""Tests of Keras 2's members on Keras 3's layers, models and metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from compat_lossscale._patching import Undo, take_back
from compat_lossscale.keras3 import old_members
from compat_lossscale.neighbour_names.keras_names import MODEL_MEMBERS


@pytest.fixture(autouse=True)
def members() -> Iterator[None]:
    undo: Undo = []
    old_members.put_into_layers(undo)
    yield
    take_back(undo)


class Counted(keras.metrics.Metric):
    """Counts updates, and is reset as metrics of TensorFlow 2.0 to 2.4 are."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.total = self.add_weight("total", initializer="zeros")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        self.total.assign_add(1.0)

    def result(self) -> Any:
        return self.total


class Scaled(keras.layers.Layer):
    """Keeps a variable, as layers of TensorFlow 2 may do."""

    def __init__(self, *, trainable: bool = True) -> None:
        super().__init__()
        self.scale = tf.Variable(2.0, trainable=trainable)


def test_a_variable_that_a_layer_keeps_is_told() -> None:
    with pytest.warns(UserWarning, match="Scaled.scale is a tf.Variable, and Keras 3 has none"):
        layer = Scaled()
    assert layer.trainable_variables == []


@pytest.mark.filterwarnings("error")
def test_a_variable_that_nothing_trains_is_no_matter() -> None:
    Scaled(trainable=False)
    keras.layers.Dense(1).build([None, 4])


def test_a_call_that_demands_training_is_given_it() -> None:
    class Noted(keras.layers.Layer):
        def call(self, inputs: Any, training: Any, times: float = 2.0) -> Any:
            notes.append(training)
            return inputs * times

    notes: list[Any] = []
    layer = Noted()
    assert float(layer(tf.constant(3.0))) == 6.0
    model = keras.Sequential([keras.Input([1]), layer, keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones([4, 1]), np.ones([4, 1]), verbose=0)
    assert notes[-1] is True
    assert notes[0] in (None, False)


def test_a_metric_is_reset_by_the_old_name() -> None:
    metric = keras.metrics.Mean()
    metric.update_state(3.0)
    metric.reset_states()
    assert float(metric.result()) == 0.0


def test_fit_resets_a_metric_that_defines_the_old_name() -> None:
    resets = []

    class Own(Counted):
        def reset_states(self) -> None:
            resets.append(float(self.total.numpy()))
            super().reset_states()

    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[Own(name="own")])
    history = model.fit(np.ones([8, 1]), np.ones([8, 1]), batch_size=4, epochs=3, verbose=0)
    assert history.history["own"] == [2.0, 2.0, 2.0]
    assert resets[-2:] == [2.0, 2.0]
    Own().reset_state()
    assert resets[-1] == 0.0


def test_a_metric_that_defines_todays_name_is_left() -> None:
    class Own(Counted):
        def reset_state(self) -> None:
            self.total.assign(5.0)

    metric = Own()
    metric.reset_states()
    assert float(metric.result()) == 5.0


def test_models_reset_the_layers_that_have_a_state() -> None:
    layer = keras.layers.LSTM(2, stateful=True)
    model = keras.Sequential([keras.Input(batch_shape=(1, 3, 2)), layer])
    model(np.ones([1, 3, 2], "float32"))
    assert np.any(layer.states[0].numpy())
    model.reset_states()
    assert not np.any(layer.states[0].numpy())


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("w",), {"shape": [3], "initializer": "ones"}),
        (("w", [3]), {"initializer": "ones"}),
        (("w", [3], tf.float32, "ones", None, True), {}),
        (("w", [3], None, "ones", None, None, None), {}),
        (([3], "ones"), {"name": "w"}),
        ((), {"name": "w", "shape": [3], "initializer": "ones"}),
    ],
)
def test_a_layer_takes_the_arguments_of_a_weight_in_either_order(args: Any, kwargs: Any) -> None:
    layer = keras.layers.Layer(name="layer")
    weight = layer.add_weight(*args, **kwargs)
    assert weight.numpy().tolist() == [1.0, 1.0, 1.0]
    assert (weight.path, weight.trainable, weight.dtype) == ("layer/w", True, "float32")
    assert layer.trainable_weights == [weight]
    assert layer.add_variable("v", [2]).shape == (2,)


def test_a_weight_that_stays_float32_under_a_policy() -> None:
    class TwoWeights(keras.layers.Layer):
        def build(self, input_shape: Any) -> None:
            self.kept = self.add_weight("kept", [], experimental_autocast=False)
            self.cast = self.add_weight("cast", [])

        def call(self, x: Any) -> Any:
            return [keras.backend.standardize_dtype(w.value.dtype) for w in (self.kept, self.cast)]

    assert TwoWeights(dtype="mixed_float16")(np.ones([1])) == ["float32", "float16"]


class Block(keras.layers.Layer):
    def call(self, x: Any, training: bool, mask: Any = None, *rest: Any) -> Any:
        return x if training is False else mask


def test_a_layer_takes_training_by_position() -> None:
    block, x, mask = Block(), np.ones([2]), np.zeros([2])
    assert block(x, False, mask).numpy().tolist() == [1.0, 1.0]
    assert block(x, True, mask).numpy().tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match="multiple values for keyword argument 'training'"):
        block(x, True, training=True)
    with pytest.raises(ValueError, match="Only input tensors may be passed as positional"):
        block(x, mask, mask, True)


@pytest.mark.parametrize("of", [keras.utils, tf.keras.utils])
def test_classes_become_float32_as_in_keras_2(of: Any) -> None:
    rows = [[0, 1, 0], [0, 0, 1]]
    for made in (of.to_categorical([1, 2]), of.to_categorical(y=[1, 2], num_classes=3)):
        assert (made.dtype, made.tolist()) == ("float32", rows)
    assert of.to_categorical([1, 2], 3, "int8").dtype == "int8"
    assert of.to_categorical([1, 2], dtype="bool").tolist() == np.array(rows, bool).tolist()


def test_a_layer_refuses_an_argument_that_is_given_twice() -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'shape'"):
        keras.layers.Layer().add_weight("w", [3], shape=[3])


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("w", (), tf.VariableAggregation.SUM), {"initializer": "ones"}),
        (("w",), {"synchronization": tf.VariableSynchronization.ON_READ, "initializer": "ones"}),
        (((), "ones"), {"name": "w"}),
    ],
)
def test_a_metric_takes_the_arguments_of_a_weight_in_either_order(args: Any, kwargs: Any) -> None:
    weight = keras.metrics.Mean(name="mean").add_weight(*args, **kwargs)
    assert (weight.path, float(weight.numpy())) == ("mean/w", 1.0)


def test_a_metric_refuses_what_keras_3_cannot_do() -> None:
    with pytest.raises(TypeError, match="aggregation"):
        keras.metrics.Mean().add_weight("w", aggregation=tf.VariableAggregation.MEAN)


@pytest.mark.parametrize("name", sorted(MODEL_MEMBERS))
def test_members_that_are_gone_name_their_successor(name: str) -> None:
    model = keras.Sequential([keras.layers.Dense(1)])
    assert not hasattr(model, name)
    assert name not in dir(model)
    with pytest.raises(AttributeError) as raised:
        getattr(model, name)
    assert MODEL_MEMBERS[name] in str(raised.value)


def test_an_error_of_a_users_property_stays_as_it_is() -> None:
    class Own(keras.layers.Layer):
        @property
        def rate(self) -> Any:
            raise AttributeError("the rate is not known yet")

    with pytest.raises(AttributeError, match="the rate is not known yet"):
        Own().rate  # noqa: B018  # reading it is what fails


def test_taking_them_back_leaves_the_classes_as_found() -> None:
    classes = (keras.metrics.Metric, keras.layers.Layer, keras.Model)
    for undo in ([], []):
        before = [dict(vars(cls)) for cls in classes]
        old_members.put_into_layers(undo)
        take_back(undo)
        assert [dict(vars(cls)) for cls in classes] == before


def test_a_schedule_of_the_user_gets_its_step_as_a_float() -> None:
    class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step: Any) -> Any:
            return tf.math.minimum(1.0, tf.math.sqrt(step)) / 2

    optimizer = keras.optimizers.SGD(WarmUp())
    assert float(optimizer.learning_rate) == 0.0
    optimizer.iterations.assign(4)
    assert float(optimizer.learning_rate) == 0.5
    assert float(WarmUp()(tf.constant(4.0))) == 0.5
