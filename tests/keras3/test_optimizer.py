# SPDX-License-Identifier: Apache-2.0
"""Tests of the LossScaleOptimizer for Keras 3, on the backend in use (see KERAS_BACKEND)."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from compat_lossscale.errors import (
    AlreadyWrappedError,
    LossScaleArgumentError,
    LossScaleMisuseError,
    LossScaleMisuseWarning,
)
from compat_lossscale.keras3 import LossScaleOptimizer
from compat_lossscale.keras3.optimizer import ProtocolRecord
from compat_lossscale.spec import RuleNumbers, ScaleState, next_state
from tests.keras3.stepping import (
    BACKEND,
    MODES,
    stepper,
    take_step,
    tensors_of,
    values_in,
    variables_of,
)
from tests.support import INF, NAN, run_code

Stock = keras.optimizers.LossScaleOptimizer
BY_CALL = pytest.mark.parametrize("unscaled", [False, True], ids=["keras3", "tf2.4"])
pytestmark = pytest.mark.filterwarnings("ignore::compat_lossscale.errors.LossScaleStuckWarning")


def state_of(optimizer: Any) -> tuple[float, int, int]:
    """The loss scale, the good steps and the iterations."""
    return (
        float(optimizer.dynamic_scale),
        int(optimizer.step_counter),
        int(optimizer.inner_optimizer.iterations),
    )


def forget_calls(optimizer: Any) -> None:
    """Has what follows count as another step."""
    optimizer.__dict__["_protocols"] = ProtocolRecord(optimizer._traced_function)


@pytest.mark.parametrize("mode", MODES)
@BY_CALL
def test_a_good_step_applies_the_unscaled_gradient(mode: str, unscaled: bool) -> None:
    variables = variables_of([1.0, 2.0], 3.0)
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=8.0)
    stepper(optimizer, variables, mode, unscaled)([8.0, 16.0], 32.0)
    assert [one.tolist() for one in values_in(variables)] == [[0.5, 1.0], 1.0]
    assert state_of(optimizer) == (8.0, 1, 1)


if BACKEND != "jax":  # where steps in place are refused

    @pytest.mark.parametrize("is_built", [False, True])
    def test_a_step_without_gradients_is_refused_and_says_why(is_built: bool) -> None:
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5))
        if is_built:
            optimizer.build(variables_of([1.0]))
        none: list[Any] = []
        for step in (
            lambda: optimizer.apply(none),
            lambda: optimizer.apply(none, none),
            lambda: optimizer.apply_gradients(zip(none, none, strict=True)),
        ):
            with pytest.raises(ValueError, match=r"got no gradients .* a tf\.Module, .* leave out"):
                step()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scale", [1000.0, 2.0**25, 3e7, 2.0**127])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "inner",
    [lambda: keras.optimizers.SGD(0.5, momentum=0.9), lambda: keras.optimizers.Adam(0.5)],
    ids=["momentum", "adam"],
)
def test_each_bit_is_that_of_keras_own_class(
    inner: Any, dtype: str, scale: float, mode: str
) -> None:
    largest = 2e4 if dtype == "float16" else min(scale, 1e30)
    results = []
    for cls in (LossScaleOptimizer, Stock):
        random = np.random.default_rng(0)
        variables = variables_of(np.ones(64), np.full((4, 4), 0.5), dtype=dtype)
        optimizer = cls(inner(), initial_scale=scale)
        step = stepper(optimizer, variables, mode, dtype=dtype)
        for number in range(3):
            first, second = random.normal(size=64), random.normal(size=(4, 4))
            second[0, 0] = NAN if number == 1 else second[0, 0]
            step(first * largest / 4, second * largest / 4)
        every = values_in([*variables, *optimizer.variables])
        results.append([np.asarray(one).tobytes() for one in every])
    assert results[0] == results[1]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("mode", MODES)
@BY_CALL
@pytest.mark.parametrize(
    ("dtype", "scale", "dynamic"),
    [
        ("float16", 2.0**25, True),
        ("float16", 2.0**25, False),
        ("float32", 2.0**127, True),
        # In functions of TensorFlow, a constant.
        ("float32", 2.0**127, False),
    ],
)
def test_a_loss_scale_without_a_reciprocal_still_trains(
    dtype: str, scale: float, dynamic: bool, unscaled: bool, mode: str
) -> None:
    """The reciprocal is denormal in the dtype, or less."""
    gradient = np.float32(2.0**15 if dtype == "float16" else 2.0**120)
    variables = variables_of(np.zeros(4), dtype=dtype)
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), dynamic=dynamic, initial_scale=scale)
    stepper(optimizer, variables, mode, unscaled, dtype)(np.full(4, gradient))
    assert values_in(variables)[0].tolist() == [-float(gradient) / scale] * 4


@BY_CALL
def test_a_loss_scale_of_zero_writes_no_nan(unscaled: bool) -> None:
    variables = variables_of([1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=0.0)
    take_step(optimizer, tensors_of([0.0]), variables, unscaled)
    assert values_in(variables)[0].tolist() == [1.0]
    assert state_of(optimizer) == (1.0, 0, 0)


@pytest.mark.grid(3)
@pytest.mark.parametrize("mode", MODES)
@BY_CALL
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_a_bad_step_changes_the_loss_scale_alone(mode: str, unscaled: bool, bad: float) -> None:
    variables = variables_of([1.0, 2.0], 3.0)
    optimizer = LossScaleOptimizer(
        keras.optimizers.Adam(0.5, weight_decay=0.1, use_ema=True), initial_scale=8.0
    )
    step = stepper(optimizer, variables, mode, unscaled)
    step([8.0, 16.0], 32.0)
    before = values_in([*variables, *optimizer.inner_optimizer.variables])
    step([8.0, bad], 32.0)
    after = values_in([*variables, *optimizer.inner_optimizer.variables])
    assert [one.tolist() for one in after] == [one.tolist() for one in before]
    assert state_of(optimizer) == (4.0, 0, 1)


@pytest.mark.sampled(len(MODES) + 1)  # another seed for each mode
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_scale_follows_the_update_rule(mode: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    variables = variables_of([0.0])
    optimizer = LossScaleOptimizer(
        keras.optimizers.SGD(0.0), initial_scale=2.0**126, dynamic_growth_steps=2
    )
    step = stepper(optimizer, variables, mode)
    scale, good_steps = 2.0**126, 0
    chances = [0.1] * 30 + [0.9] * 200 + [0.4] * 30
    if BACKEND == "jax" and mode == "eager" and not os.environ.get("ALL_CASES"):
        chances = chances[20:50]  # JAX compiles each step
    for chance in chances:
        finite = bool(random.random() > chance)
        step([0.0 if finite else NAN])
        state = ScaleState(scale, good_steps)
        scale, good_steps, _ = next_state(state, finite, RuleNumbers.of_multiplier(2, 2.0))
        assert state_of(optimizer)[:2] == (scale, good_steps)


@pytest.mark.parametrize("mode", MODES)
def test_skipped_steps_count_as_iterations_if_asked_to(mode: str) -> None:
    variables = variables_of([1.0])
    optimizer = LossScaleOptimizer(
        keras.optimizers.SGD(0.5), initial_scale=8.0, count_skipped_steps=True
    )
    step = stepper(optimizer, variables, mode)
    for gradient in (8.0, NAN, NAN, 2.0):
        step([gradient])
    assert state_of(optimizer) == (2.0, 1, 4)


@pytest.mark.parametrize("mode", MODES)
@BY_CALL
def test_a_fixed_loss_scale_scales_unscales_and_asks_nothing(mode: str, unscaled: bool) -> None:
    variables = variables_of([1.0, 1.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), dynamic=False, initial_scale=4.0)
    step = stepper(optimizer, variables, mode, unscaled)
    assert float(optimizer.scale_loss(keras.ops.convert_to_tensor(3.0))) == 12.0
    forget_calls(optimizer)
    step([4.0, NAN])
    (value,) = values_in(variables)
    assert value[0] == 0.0
    assert np.isnan(value[1])
    assert float(optimizer.loss_scale) == 4.0
    assert (optimizer.dynamic, optimizer.dynamic_counter) == (False, None)
    assert optimizer.dynamic_growth_steps is None


def test_the_inner_optimizers_own_factor_is_never_dropped_silently() -> None:
    inner = keras.optimizers.SGD(loss_scale_factor=16.0)
    with pytest.warns(LossScaleMisuseWarning, match=r"loss_scale_factor=16\.0"):
        optimizer = LossScaleOptimizer(inner, initial_scale=8.0)
    assert float(optimizer.scale_loss(keras.ops.convert_to_tensor(1.0))) == 8.0
    assert inner.loss_scale_factor is None

    inner = keras.optimizers.SGD(1.0, loss_scale_factor=16.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer = LossScaleOptimizer(inner, dynamic=False)
    assert (optimizer.dynamic, optimizer.initial_scale) == (False, 16.0)


def test_a_loss_is_scaled_in_each_protocols_own_dtype() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD())
    loss = keras.ops.convert_to_tensor(3.0, "float16")
    scaled = optimizer.scale_loss(loss)
    assert keras.backend.standardize_dtype(scaled.dtype) == "float32"
    assert float(scaled) == 3 * 2.0**15
    each = LossScaleOptimizer(keras.optimizers.SGD()).scale_loss(
        keras.ops.convert_to_tensor([3.0, 1.0], "float16")
    )
    assert values_in([each])[0].tolist() == [3 * 2.0**15, 2.0**15]
    kept = LossScaleOptimizer(keras.optimizers.SGD(), initial_scale=4).get_scaled_loss(loss)
    assert keras.backend.standardize_dtype(kept.dtype) == "float16"
    assert float(kept) == 12.0


def test_a_callable_loss_is_scaled_when_it_is_called() -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(), initial_scale=4)
    optimizer.build(variables_of([1.0]))
    scaled = optimizer.get_scaled_loss(lambda: keras.ops.convert_to_tensor(2.0))
    assert float(scaled()) == 8.0
    optimizer.dynamic_scale.assign(16.0)
    assert float(scaled()) == 32.0


@pytest.mark.parametrize("loss", [True, 3, None, np.array(True)])
def test_a_loss_that_cannot_be_scaled_is_refused(loss: Any) -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5))
    for error in (AttributeError, TypeError, ValueError):
        with pytest.raises(error, match="must be a floating-point tensor"):
            optimizer.get_scaled_loss(loss)


def test_a_fixed_scale_that_float32_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="infinite in float32"):
        LossScaleOptimizer(keras.optimizers.SGD(0.5), dynamic=False, initial_scale=1e39)


def test_what_is_none_stays_none() -> None:
    variables = variables_of([1.0], [2.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=4)
    optimizer.build(variables)
    first, second = optimizer.get_unscaled_gradients([*tensors_of([4.0]), None])
    assert (float(first[0]), second) == (1.0, None)


def test_a_step_after_scale_loss_takes_scaled_gradients_by_either_method() -> None:
    appliers = [take_step]
    if BACKEND != "jax":
        appliers.append(lambda opt, g, v: opt.apply_gradients(zip(g, v, strict=True)))
    for apply in appliers:
        variables = variables_of([0.0])
        optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=4)
        with warnings.catch_warnings():
            warnings.simplefilter("error", LossScaleMisuseWarning)
            for _ in range(2):
                optimizer.scale_loss(keras.ops.convert_to_tensor(1.0))
                apply(optimizer, tensors_of([4.0]), variables)
        assert values_in(variables)[0].tolist() == [-2.0]


@pytest.mark.parametrize("method", ["get_scaled_loss", "get_unscaled_gradients"])
def test_a_step_of_both_protocols_is_refused_and_says_which_calls(method: str) -> None:
    variables = variables_of([0.0])
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(1.0), initial_scale=4)
    optimizer.build(variables)
    one = keras.ops.convert_to_tensor(1.0)
    optimizer.scale_loss(one)
    getattr(optimizer, method)(one if method == "get_scaled_loss" else [one])
    with pytest.raises(LossScaleMisuseError) as caught:
        take_step(optimizer, tensors_of([4.0]), variables)
    assert "scale_loss()" in str(caught.value)
    assert f"{method}()" in str(caught.value)
    assert values_in(variables)[0].tolist() == [0.0]
    take_step(optimizer, tensors_of([4.0]), variables)  # the next step is a new one


def test_the_constructor_says_what_is_wrong() -> None:
    sgd = keras.optimizers.SGD()
    with pytest.raises(LossScaleArgumentError, match="must be an optimizer of Keras 3"):
        LossScaleOptimizer(5)
    with pytest.raises(AlreadyWrappedError, match="scaled twice"):
        LossScaleOptimizer(LossScaleOptimizer(sgd))
    with pytest.raises(AlreadyWrappedError, match="scaled twice"):
        LossScaleOptimizer(Stock(keras.optimizers.SGD()))
    with pytest.raises(LossScaleArgumentError, match="must be a bool"):
        LossScaleOptimizer(sgd, 128)
    with pytest.raises(LossScaleArgumentError, match="initial_scale"):
        LossScaleOptimizer(sgd, dynamic=False)
    with pytest.raises(LossScaleArgumentError, match="dynamic_growth_steps"):
        LossScaleOptimizer(sgd, dynamic=False, initial_scale=2, dynamic_growth_steps=3)
    with pytest.raises(LossScaleArgumentError, match="`clipnorm`: set it on the `inner_optimizer`"):
        LossScaleOptimizer(sgd, clipnorm=1.0)
    with pytest.raises(LossScaleArgumentError, match="arguments: `foo`"):
        LossScaleOptimizer(sgd, foo=1)
    LossScaleOptimizer(sgd, clipnorm=None, ema_momentum=0.99)  # as configs of Keras 3.6 have it


def test_the_variables_are_those_of_keras_own_class() -> None:
    described = []
    for cls in (LossScaleOptimizer, Stock):
        keras.backend.clear_session()
        variables = variables_of([1.0, 2.0], 3.0)
        optimizer = cls(keras.optimizers.Adam(), initial_scale=16.0)
        optimizer.build(variables)
        described.append(
            [
                (one.path, tuple(one.shape), one.dtype, one.aggregation)
                for one in optimizer.variables
            ]
        )
        assert float(optimizer.dynamic_scale) == 16.0
    assert described[0] == described[1]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"initial_scale": 8.0, "dynamic_growth_steps": 3, "name": "mine"},
        {"dynamic": False, "initial_scale": 4.0},
        {"count_skipped_steps": True},
    ],
)
def test_a_config_gives_the_same_again_as_often_as_wanted(arguments: dict[str, Any]) -> None:
    optimizer = LossScaleOptimizer(keras.optimizers.Adam(0.25), **arguments)
    config = optimizer.get_config()
    for _ in range(2):
        again = LossScaleOptimizer.from_config(config)
        assert again.get_config() == config
    assert isinstance(again.inner_optimizer, keras.optimizers.Adam)
    read = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(optimizer))
    assert type(read) is LossScaleOptimizer
    assert read.get_config() == config


def test_a_config_is_keras_own_where_keras_can_say_it() -> None:
    ours = LossScaleOptimizer(
        keras.optimizers.Adam(name="adam"), initial_scale=8.0, dynamic_growth_steps=3, name="same"
    )
    stock = Stock(
        keras.optimizers.Adam(name="adam"), initial_scale=8.0, dynamic_growth_steps=3, name="same"
    )
    assert ours.get_config().keys() <= stock.get_config().keys()
    assert LossScaleOptimizer.from_config(stock.get_config()).get_config() == ours.get_config()
    again = Stock.from_config(ours.get_config()).get_config()
    assert {key: again[key] for key in ours.get_config()} == ours.get_config()


def test_what_keras_own_wrapper_forgets_reaches_the_inner_optimizer() -> None:
    variables = variables_of([1.0, 1.0], [1.0])
    inner = keras.optimizers.SGD(1.0, momentum=0.5, weight_decay=0.5)
    optimizer = LossScaleOptimizer(inner, initial_scale=1.0)
    optimizer.exclude_from_weight_decay(var_list=variables[:1])
    take_step(optimizer, tensors_of([0.0, 0.0], [0.0]), variables)
    assert [one.tolist() for one in values_in(variables)] == [[1.0, 1.0], [0.5]]
    optimizer.learning_rate = 0.25
    assert float(inner.learning_rate) == float(optimizer.learning_rate) == 0.25
    assert optimizer._optimizer is optimizer.inner_optimizer is inner

    weights = optimizer.get_weights()
    assert len(weights) == len(inner.variables)
    weights[-1] = np.asarray([7.0], "float32")
    optimizer.set_weights(weights)
    assert values_in(inner.variables)[-1].tolist() == [7.0]
    everything = values_in(optimizer.variables)
    optimizer.set_weights([one + 1 for one in everything])
    assert [one.tolist() for one in values_in(optimizer.variables)] == [
        (one + 1).tolist() for one in everything
    ]
    with pytest.raises(ValueError, match="but got"):
        optimizer.set_weights(weights[:-1])
    with pytest.raises(ValueError, match="build"):
        LossScaleOptimizer(keras.optimizers.SGD()).set_weights([])


def small_model() -> Any:
    keras.utils.set_random_seed(0)
    layers = [
        keras.layers.Input((4,)),
        keras.layers.Dense(3, "relu", dtype="mixed_float16"),
        keras.layers.Dense(1, dtype="float32"),
    ]
    return keras.Sequential(layers)


def data() -> tuple[Any, Any]:
    x = np.random.default_rng(0).random((32, 4), "float32")
    return x, x.sum(axis=1, keepdims=True)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("inner", [{"momentum": 0.5}, {"clipnorm": 0.01}, {"use_ema": True}])
def test_fit_trains_as_with_keras_own_class(inner: dict[str, Any]) -> None:
    x, y = data()
    results = []
    for cls in (LossScaleOptimizer, Stock):
        model = small_model()
        optimizer = cls(
            keras.optimizers.SGD(0.1, **inner), initial_scale=2.0**30, dynamic_growth_steps=3
        )
        model.compile(optimizer, "mse")
        history = model.fit(x, y, batch_size=8, epochs=5, shuffle=False, verbose=0)
        results.append((history.history["loss"], model.get_weights(), state_of(optimizer)))
    (ours, our_weights, our_state), (stock, stock_weights, stock_state) = results
    np.testing.assert_allclose(ours, stock, rtol=1e-6)
    for one, other in zip(our_weights, stock_weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert our_state == stock_state
    assert our_state[2] < 20  # the first steps overflowed


@pytest.mark.parametrize(
    ("writer", "reader"), [(LossScaleOptimizer, Stock), (Stock, LossScaleOptimizer)]
)
def test_one_class_loads_the_state_that_the_other_saved(writer: Any, reader: Any) -> None:
    variables = variables_of([1.0, 2.0])
    saved = writer(keras.optimizers.Adam(0.5), initial_scale=4.0)
    for gradient in (1.0, NAN, 2.0):
        take_step(saved, tensors_of([gradient, gradient]), variables)
    store: dict[str, Any] = {}
    saved.save_own_variables(store)
    loaded = reader(keras.optimizers.Adam(0.5), initial_scale=4.0)
    loaded.build(variables)
    loaded.load_own_variables(store)
    assert state_of(loaded) == state_of(saved) == (2.0, 1, 2)
    for one, other in zip(saved.variables, loaded.variables, strict=True):
        np.testing.assert_array_equal(*values_in([one, other]))


def test_a_saved_model_loads_with_this_class_and_without_this_package(tmp_path: Path) -> None:
    x, y = data()
    model = small_model()
    model.compile(LossScaleOptimizer(keras.optimizers.Adam(), initial_scale=2.0**30), "mse")
    model.fit(x, y, batch_size=8, epochs=5, verbose=0)
    path = tmp_path / "model.keras"
    model.save(path)
    loaded = keras.models.load_model(path)
    assert type(loaded.optimizer) is LossScaleOptimizer
    assert state_of(loaded.optimizer) == state_of(model.optimizer)

    printed = run_code(
        f"""
import keras, sys
optimizer = keras.models.load_model({str(path)!r}).optimizer
assert "compat_lossscale" not in sys.modules
print(type(optimizer) is keras.optimizers.LossScaleOptimizer)
steps = optimizer.inner_optimizer.iterations
print(float(optimizer.dynamic_scale), int(optimizer.step_counter), int(steps))
""",
        tensorflow_may_be_imported=True,
    )
    stock, state = printed.splitlines()[-2:]
    assert stock == "True"
    assert tuple(map(float, state.split())) == state_of(model.optimizer)


def test_values_wait_in_an_optimizer_that_was_built_for_no_variables() -> None:
    """So Keras 3.16 loads HDF5."""
    variables = variables_of([1.0, 2.0])
    trained = LossScaleOptimizer(keras.optimizers.Adam(0.5), initial_scale=4.0)
    for gradient in (1.0, NAN, 2.0):
        take_step(trained, tensors_of([gradient, gradient]), variables)
    loaded = LossScaleOptimizer(keras.optimizers.Adam(0.5), initial_scale=4.0)
    loaded.build([])
    loaded.set_weights(values_in(trained.variables))
    assert state_of(loaded) == state_of(trained) == (2.0, 1, 2)
    loaded.build(variables)
    assert [*map(bytes, values_in(loaded.variables))] == [*map(bytes, values_in(trained.variables))]


@pytest.fixture(scope="module")
def saved_by_stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files that Keras saved in a process without this package."""
    folder = tmp_path_factory.mktemp("stock")
    run_code(
        f"""
import keras, numpy as np, sys
layers = [keras.layers.Input((4,)), keras.layers.Dense(3, "relu"), keras.layers.Dense(1)]
model = keras.Sequential(layers)
inner = keras.optimizers.Adam(0.5, name="inner")
scaling = keras.optimizers.LossScaleOptimizer(inner, initial_scale=64.0, dynamic_growth_steps=3)
metrics = [keras.metrics.MeanAbsoluteError()]
model.compile(scaling, keras.losses.MeanSquaredError(), metrics=metrics)
model.fit(np.ones((32, 4)), np.ones((32, 1)), batch_size=8, verbose=0)
model.save({str(folder / "model.keras")!r})
model.save({str(folder / "model.h5")!r})
assert "compat_lossscale" not in sys.modules
""",
        tensorflow_may_be_imported=BACKEND == "tensorflow",
    )
    return folder


def with_this_class(model: Any) -> None:
    """What docs/keras3.md says."""
    arguments = keras.saving.deserialize_keras_object(model.get_compile_config())
    arguments["optimizer"] = LossScaleOptimizer.from_keras(model.optimizer)
    model.compile(**arguments)


@pytest.mark.parametrize("name", ["model.keras", "model.h5"])
def test_what_keras_own_class_saved_goes_on_with_this_one(
    name: str, saved_by_stock: Path, tmp_path: Path
) -> None:
    custom_objects = {"LossScaleOptimizer": LossScaleOptimizer}  # Keras does not ask them.
    model = keras.models.load_model(saved_by_stock / name, custom_objects=custom_objects)
    # From HDF5, Keras makes its own class, with the loss scale alone; from 3.16 on, this class.
    version = tuple(map(int, keras.__version__.split(".")[:2]))
    goes_on = name == "model.h5" and version >= (3, 16)
    assert type(model.optimizer) is (LossScaleOptimizer if goes_on else Stock)
    if not goes_on:
        with_this_class(model)
    assert type(model.optimizer) is LossScaleOptimizer
    steps = 4 if name == "model.keras" or goes_on else 0
    assert state_of(model.optimizer) == (128.0, 1, steps)
    x, y = data()
    model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    assert state_of(model.optimizer) == (1024.0, 0, steps + 8)
    model.save(tmp_path / "again.keras")
    again = keras.models.load_model(tmp_path / "again.keras").optimizer
    assert type(again) is LossScaleOptimizer
    assert state_of(again) == state_of(model.optimizer)


def test_it_goes_on_as_keras_own_class_would(saved_by_stock: Path) -> None:
    x, y = data()
    results = []
    for convert in (with_this_class, lambda model: None):
        model = keras.models.load_model(saved_by_stock / "model.keras")
        convert(model)
        history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
        found = [*model.weights, *model.optimizer.variables]
        results.append((history.history, [one.tobytes() for one in values_in(found)]))
    assert results[0] == results[1]


def test_an_optimizer_that_is_taken_over_keeps_what_it_has() -> None:
    variables = variables_of([1.0, 2.0])
    stock = Stock(
        keras.optimizers.Adam(0.5), initial_scale=4.0, dynamic_growth_steps=3, name="mine"
    )
    assert not LossScaleOptimizer.from_keras(stock).built
    for gradient in (1.0, NAN, 2.0):
        take_step(stock, tensors_of([gradient, gradient]), variables)
    count = len(stock.variables)
    taken = LossScaleOptimizer.from_keras(stock, count_skipped_steps=True)
    assert taken.inner_optimizer is stock.inner_optimizer
    assert len(taken.variables) == count
    assert state_of(taken) == (2.0, 1, 2)
    assert (taken.name, taken.initial_scale, taken.dynamic_growth_steps) == ("mine", 4.0, 3)
    take_step(taken, tensors_of([NAN, 1.0]), variables)
    assert state_of(taken) == (1.0, 0, 3)
    for other in (taken, stock.inner_optimizer, "adam"):
        with pytest.raises(LossScaleArgumentError, match=r"from_keras\(\) takes Keras' own"):
            LossScaleOptimizer.from_keras(other)
