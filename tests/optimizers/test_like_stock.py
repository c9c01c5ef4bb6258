# SPDX-License-Identifier: Apache-2.0
"""Results, names, arguments and attributes are those of TensorFlow's own wrappers.

Both are asked in the same process. What only old versions can tell is in the golden traces.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale.core import native
from compat_lossscale.v1 import MixedPrecisionLossScaleOptimizer
from tests.support import NAN, Family

pytestmark = pytest.mark.grid(2)

v1 = tf.compat.v1
Make = Callable[[Any], Any]
"""Makes an optimizer with a loss scale, `"dynamic"` or a number."""


def _keras(cls: Any, inner: Callable[[], Any]) -> Make:
    def make(loss_scale: Any) -> Any:
        if loss_scale == "dynamic":
            return cls(inner())
        return cls(inner(), dynamic=False, initial_scale=loss_scale)

    return make


def _v1(cls: Any) -> Make:
    return lambda loss_scale: cls(v1.train.AdamOptimizer(0.5), loss_scale)


def _pair(name: str) -> tuple[Make, Make]:
    """TensorFlow's own wrapper and ours around an optimizer of one kind."""
    if name == "v1":
        return _v1(native.MixedPrecisionLossScaleOptimizer), _v1(MixedPrecisionLossScaleOptimizer)
    family = Family(name)
    stock = tf_keras.mixed_precision.LossScaleOptimizer
    return _keras(stock, family.adam), _keras(compat_lossscale.LossScaleOptimizer, family.adam)


def _minimize(opt: Any, v: Any, **kwargs: Any) -> Any:
    return opt.minimize(lambda: v * 2.0, var_list=[v], **kwargs)


def _apply(opt: Any, v: Any, **kwargs: Any) -> Any:
    # Multiplied, for `tf.cond` takes no branch out that depends on a constant alone.
    return opt.apply_gradients([(v * 2.0, v)], **kwargs)


def _kind(result: Any) -> str:
    if isinstance(result, tf.Operation):
        return f"operation {result.name}"
    return "nothing" if result is None else type(result).__name__


def _eagerly(make: Make, loss_scale: Any, step: Any, strategy: Any) -> str:
    with strategy.scope():
        v, opt = tf.Variable(1.0), make(loss_scale)
    return _kind(strategy.run(lambda: step(opt, v)))


def _in_function(make: Make, loss_scale: Any, step: Any, strategy: Any) -> str:
    kinds = []
    with strategy.scope():
        v, opt = tf.Variable(1.0), make(loss_scale)

    def in_replica() -> None:
        kinds.append(_kind(step(opt, v)).partition(" ")[0])

    tf.function(lambda: strategy.run(in_replica))()
    return kinds[-1]


def _from_function(make: Make, loss_scale: Any, step: Any, strategy: Any) -> str:
    with strategy.scope():
        v, opt = tf.Variable(1.0), make(loss_scale)
    try:
        return _kind(tf.function(lambda: strategy.run(lambda: step(opt, v)))())
    except TypeError:
        return "TypeError"


def _in_graph(make: Make, loss_scale: Any, step: Any, strategy: Any) -> str:
    with tf.Graph().as_default(), strategy.scope():
        v = v1.get_variable("v", initializer=1.0, use_resource=True)
        opt = make(loss_scale)
        return _kind(strategy.run(lambda: step(opt, v)))


WAYS = [_eagerly, _in_function, _from_function, _in_graph]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("step", [_minimize, _apply])
@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family", ["legacy", "new", "v1"])
def test_a_step_returns_what_it_returns_in_tensorflow(
    family: str, way: Any, loss_scale: Any, step: Any
) -> None:
    stock, ours = _pair(family)
    default = tf.distribute.get_strategy()
    assert way(ours, loss_scale, step, default) == way(stock, loss_scale, step, default)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family", ["legacy", "new", "v1"])
def test_a_step_of_two_replicas_returns_what_it_returns_in_tensorflow(
    family: str, way: Any, loss_scale: Any, mirrored: Any
) -> None:
    stock, ours = _pair(family)
    found, expected = (way(make, loss_scale, _minimize, mirrored) for make in (ours, stock))
    assert found == expected


def _names_in_graph(make: Make, loss_scale: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("v", initializer=1.0, use_resource=True)
        with v1.name_scope("outer"):
            first = make(loss_scale)
            done = [_minimize(first, v, **kwargs), _minimize(first, v, **kwargs)]
        done.append(_minimize(make(loss_scale), v, **kwargs))
        return {
            "steps": [_kind(one) for one in done],
            "variables": [variable.op.name for variable in v1.global_variables()],
            "trainable": [variable.op.name for variable in v1.trainable_variables()],
            "train_op": [one.name for one in graph.get_collection("train_op")],
            "collections": sorted(graph.get_all_collection_keys()),
        }


@pytest.mark.parametrize("kwargs", [{}, {"name": "train"}], ids=["", "named"])
@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
@pytest.mark.parametrize("family", ["legacy", "v1"])
def test_variables_and_steps_of_a_graph_have_tensorflows_names(
    family: str, loss_scale: Any, kwargs: dict[str, Any]
) -> None:
    stock, ours = _pair(family)
    found, expected = (_names_in_graph(make, loss_scale, kwargs) for make in (ours, stock))
    assert found == expected


@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
@pytest.mark.parametrize("family", ["legacy", "v1"])
def test_variables_have_tensorflows_names_with_control_flow_of_tensorflow_1(
    family: str, loss_scale: Any
) -> None:
    v1.disable_control_flow_v2()
    try:
        stock, ours = _pair(family)
        found, expected = (_names_in_graph(make, loss_scale, {}) for make in (ours, stock))
    finally:
        v1.enable_control_flow_v2()
    assert found == expected


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("loss_scale", ["dynamic", 8.0])
@pytest.mark.parametrize("family", ["legacy", "new"])
def test_variables_have_tensorflows_names(family: str, loss_scale: Any, in_function: bool) -> None:
    names = []
    for make in _pair(family):
        v, opt = tf.Variable(1.0, name="v"), make(loss_scale)

        def step(opt: Any = opt, v: Any = v) -> None:
            _minimize(opt, v)

        (tf.function(step) if in_function else step)()
        variables = opt.variables
        names.append([w.name for w in (variables() if callable(variables) else variables)])
    assert names[1] == names[0]


ADDED = {"last_step_skipped", "loss_scale_rule", "skipped_steps"}
ADDED_AROUND_NEW = ADDED | {"get_weights", "name", "weights"}
ADDED_AROUND_LEGACY = ADDED | {"load_own_variables", "save_own_variables"}


def _can_be_read(opt: Any, name: str) -> bool:
    try:
        getattr(opt, name)
    except AttributeError:
        return False
    return True


def _set(opt: Any, name: str) -> str:
    """Sets an attribute, and says whose it is."""
    before = _values(opt.inner_optimizer)
    try:
        setattr(opt, name, 0.25)
    except (AttributeError, RuntimeError) as error:
        return type(error).__name__
    return "the wrapper's" if before == _values(opt.inner_optimizer) else "the inner optimizer's"


def _values(inner: Any) -> tuple[dict[str, int], float]:
    """All attributes of an optimizer, by identity, and the learning rate, a variable's value."""
    values = {**vars(inner), **getattr(inner, "_hyper", {})}
    return {name: id(value) for name, value in values.items()}, float(inner.learning_rate)


@pytest.mark.parametrize(
    ("family", "added"), [("legacy", ADDED_AROUND_LEGACY), ("new", ADDED_AROUND_NEW)]
)
def test_attributes_are_passed_on_as_tensorflow_does(family: str, added: set[str]) -> None:
    stock, ours = (make("dynamic") for make in _pair(family))
    names = {*dir(stock), *dir(ours), *dir(ours.inner_optimizer), "lr", "momentum", "no_such_thing"}
    for name in sorted(name for name in names - added if not name.startswith("_")):
        assert _can_be_read(ours, name) == _can_be_read(stock, name), name
        assert (name in dir(ours)) == (name in dir(stock)), name
        makes = _pair(family)
        found, expected = (_set(make("dynamic"), name) for make in (makes[1], makes[0]))
        assert found == expected, name


def _parameters(function: Any) -> list[tuple[str, Any]]:
    parameters = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in parameters if one.kind is not one.KEYWORD_ONLY]


@pytest.mark.parametrize("family", ["legacy", "new", "v1"])
def test_methods_take_tensorflows_arguments(family: str) -> None:
    stock, ours = (make("dynamic") for make in _pair(family))
    for name in dir(stock):
        method = getattr(stock, name, None)
        if name.startswith("_") or not inspect.ismethod(method):
            continue
        found, expected = _parameters(getattr(ours, name)), _parameters(method)
        if (family, name) == ("new", "apply_gradients"):
            # It comes second in tf-keras' optimizers that are not wrapped.
            found.remove(("name", None))
        assert found == expected, name


@pytest.mark.parametrize("family", ["legacy", "new"])
def test_gradients_come_in_tensorflows_containers(family: str) -> None:
    v = tf.Variable(1.0)
    for grads in ([tf.constant(2.0), None], (tf.constant(2.0),)):
        stock, ours = (make(8.0) for make in _pair(family))
        found, expected = ours.get_unscaled_gradients(grads), stock.get_unscaled_gradients(grads)
        assert type(found) is type(expected)
        assert len(found) == len(expected)
    if family == "new":
        found, expected = (opt.compute_gradients(lambda: v * 2.0, [v]) for opt in (ours, stock))
        assert type(found) is type(expected)
        assert type(found[0]) is type(expected[0])


@pytest.mark.parametrize("arguments", [(True,), (None, True)])
def test_a_second_argument_is_a_name_or_says_that_gradients_are_summed(
    arguments: tuple[Any, ...], mirrored: Any
) -> None:
    with mirrored.scope():
        v = tf.Variable(0.0)
        opt = compat_lossscale.LossScaleOptimizer(Family("new").sgd())
    mirrored.run(lambda: opt.apply_gradients([(tf.constant(1.0), v)], *arguments))
    assert [float(value) for value in v.values] == [-1, -1]


@pytest.mark.parametrize(("value", "skipped"), [(1.0, False), (NAN, True)])
def test_a_step_can_be_the_last_expression_of_a_function(value: float, skipped: bool) -> None:
    v = tf.Variable(1.0)
    opt = compat_lossscale.LossScaleOptimizer(Family("new").sgd())
    assert tf.function(lambda: opt.minimize(lambda: v * value, [v]))() is None
    assert opt.iterations == 1
    assert bool(opt.last_step_skipped) is skipped


@pytest.mark.parametrize(
    "change",
    [{"dynamic": "x"}, {"unknown": 1}, {"initial_scale": "x"}, {"dynamic_growth_steps": "x"}],
)
@pytest.mark.parametrize("family", ["legacy", "new"])
def test_a_malformed_config_is_refused_with_tensorflows_error(
    family: str, change: dict[str, Any]
) -> None:
    stock, ours = (make("dynamic") for make in _pair(family))
    config = {**stock.get_config(), **change}
    with pytest.raises(Exception) as expected:  # noqa: PT011  # whichever it is
        type(stock).from_config(config)
    with pytest.raises(expected.type):
        type(ours).from_config(config)
