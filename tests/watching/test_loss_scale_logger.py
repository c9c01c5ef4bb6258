# SPDX-License-Identifier: Apache-2.0
"""The callback that watches the loss scale."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale import errors, plot_history, v1
from compat_lossscale.callbacks import LossScaleLogger
from tests.messages import says
from tests.support import NAN, REPOSITORY, Family

GOOD, BAD = 1.0, NAN
BATCHES = [GOOD, GOOD, BAD, GOOD, BAD, BAD]
# From 8, growing after 2 good steps.
SCALES = [8.0, 16.0, 8.0, 8.0, 4.0, 2.0]
GOOD_STEPS = [1, 0, 0, 1, 0, 0]
SKIPPED = [0, 0, 1, 1, 2, 3]

STUCK = "The loss scale has to move and cannot."

Said = Callable[[], list[str]]


def stock(inner: Any, **kwargs: Any) -> Any:
    return tf_keras.mixed_precision.LossScaleOptimizer(inner, **kwargs)


def ours(inner: Any, **kwargs: Any) -> Any:
    return compat_lossscale.LossScaleOptimizer(inner, **kwargs)


def experimental(inner: Any, **kwargs: Any) -> Any:
    if not kwargs.get("dynamic", True):
        return compat_lossscale.experimental.LossScaleOptimizer(inner, kwargs["initial_scale"])
    scale = compat_lossscale.DynamicLossScale(
        kwargs["initial_scale"], kwargs["dynamic_growth_steps"]
    )
    return compat_lossscale.experimental.LossScaleOptimizer(inner, scale)


def every_wrapper(test: Callable[..., None]) -> Callable[..., None]:
    """Runs a test with wrappers of this package and of tf-keras, around both families."""
    test = pytest.mark.parametrize("wrap", [ours, experimental, stock])(test)
    return pytest.mark.grid(4)(test)


def model_with(optimizer: Any, **kwargs: Any) -> Any:
    layer = tf_keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(1,))
    model = tf_keras.Sequential([layer])
    model.compile(optimizer, "mae", **kwargs)
    return model


def fit(model: Any, *callbacks: Any, batches: list[float] = BATCHES, epochs: int = 1) -> Any:
    x = np.array(batches, np.float32)[:, None]
    return model.fit(
        x,
        np.zeros_like(x),
        batch_size=1,
        shuffle=False,
        verbose=0,
        epochs=epochs,
        callbacks=list(callbacks),
    )


@pytest.fixture
def said(logged: list[str]) -> Said:
    """The warnings of the callback; TensorFlow has some of its own."""
    return lambda: [message for message in logged if message.startswith("LossScaleLogger: ")]


def small(wrap: Any, family: Family, **kwargs: Any) -> Any:
    return wrap(family.sgd(0.0), **{"initial_scale": 8.0, "dynamic_growth_steps": 2, **kwargs})


@every_wrapper
def test_every_step_is_seen_if_asked(wrap: Any, family: Family) -> None:
    logger = LossScaleLogger(every=1)
    history = fit(model_with(small(wrap, family)), logger)
    assert logger.history == {
        "step": [1, 2, 3, 4, 5, 6],
        "loss_scale": SCALES,
        "good_steps": GOOD_STEPS,
        "skipped_steps": SKIPPED,
    }
    last = {name: values[-1:] for name, values in logger.history.items() if name != "step"}
    assert {name: history.history[name] for name in last} == last


@every_wrapper
def test_epochs_are_seen_by_default_and_the_history_has_them(wrap: Any, family: Family) -> None:
    logger = LossScaleLogger()
    history = fit(model_with(small(wrap, family)), logger, epochs=2, batches=BATCHES[:4])
    assert history.history["loss_scale"] == [8.0, 8.0]
    assert history.history["good_steps"] == [1, 1]
    assert logger.history["step"] == [4, 8]
    assert "step" not in history.history


class Watching(tf_keras.callbacks.Callback):  # type: ignore[misc]  # TensorFlow has no types
    """A callback that notes what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.seen.append((logs or {}).get("loss_scale"))


def test_callbacks_behind_it_get_what_it_saw_every_so_many_batches() -> None:
    watching = Watching()
    logger = LossScaleLogger(every=2)
    fit(model_with(small(ours, Family("new"))), logger, watching)
    assert watching.seen == [None, 16.0, None, 8.0, None, 2.0]
    assert logger.history["step"] == [2, 4, 6]


def test_one_call_for_several_batches_is_one_look() -> None:
    logger = LossScaleLogger(every=2)
    fit(model_with(small(ours, Family("new")), steps_per_execution=3), logger)
    assert logger.history["step"] == [3, 6]


def test_a_loss_scale_can_be_monitored() -> None:
    stop = tf_keras.callbacks.EarlyStopping("loss_scale", mode="max", patience=1)
    history = fit(
        model_with(small(ours, Family("new"))), LossScaleLogger(), stop, epochs=5, batches=[BAD]
    )
    assert history.history["loss_scale"] == [4.0, 2.0]


@every_wrapper
def test_a_fixed_scale_is_logged_and_warns_of_nothing(
    wrap: Any, family: Family, said: Said
) -> None:
    optimizer = wrap(family.sgd(0.0), dynamic=False, initial_scale=1.0)
    logger = LossScaleLogger(every=1)
    fit(model_with(optimizer), logger, batches=[BAD, BAD])
    assert logger.history["loss_scale"] == [1.0, 1.0]
    assert "good_steps" not in logger.history
    assert said() == []


def test_what_a_mixed_policy_wraps_is_watched() -> None:
    tf_keras.mixed_precision.set_global_policy("mixed_float16")
    logger = LossScaleLogger(every=1)
    fit(model_with("sgd"), logger, batches=[GOOD, BAD])
    assert logger.history["loss_scale"] == [2.0**15, 2.0**14]
    assert logger.history["skipped_steps"] == [0, 1]


def test_what_an_experimental_policy_wraps_is_watched() -> None:
    from compat_lossscale.experimental import Policy, set_policy

    set_policy(Policy("mixed_float16", loss_scale=compat_lossscale.DynamicLossScale(64, 1)))
    logger = LossScaleLogger(every=1)
    fit(model_with("sgd"), logger, batches=[GOOD, BAD])
    assert logger.history["loss_scale"] == [128.0, 64.0]


def test_replicas_are_watched_as_one(mirrored: Any) -> None:
    logger = LossScaleLogger(every=1)
    with mirrored.scope():
        model = model_with(small(ours, Family("new")))
    x = np.array([[GOOD], [GOOD], [GOOD], [BAD]], np.float32)
    model.fit(x, x, batch_size=2, shuffle=False, verbose=0, callbacks=[logger])
    assert logger.history["loss_scale"] == [8.0, 4.0]
    assert logger.history["good_steps"] == [1, 0]


def test_without_a_loss_scale_it_says_so_once(said: Said) -> None:
    logger = LossScaleLogger(every=1)
    history = fit(model_with(tf_keras.optimizers.SGD(0.1)), logger, batches=[GOOD, GOOD], epochs=2)
    assert "loss_scale" not in history.history
    assert logger.history == {}
    (message,) = said()
    assert says(
        message,
        "LossScaleLogger: the optimizer, SGD, has no loss scale, so nothing is logged. Wrap it in "
        "a LossScaleOptimizer, or set the policy mixed_float16 before you create the model.",
    )


@pytest.mark.parametrize("every", [None, 1])
def test_a_scale_stuck_at_its_floor_is_warned_of_once(
    family: Family, every: int | None, said: Said
) -> None:
    fit(model_with(small(stock, family)), LossScaleLogger(every), batches=[BAD] * 5, epochs=2)
    # Three steps bring the scale from 8 to 1; the fourth is skipped there.
    (message,) = said()
    assert says(
        message,
        "LossScaleLogger: the loss scale is at its floor, 1, and steps are still skipped "
        f"(step {4 if every else 5}). Look for NaN or infinity in the loss and the inputs, for a "
        "learning rate that is too high, and for values beyond 65504, the largest float16. "
        "tf.debugging.enable_check_numerics() names the operation.",
    )


@pytest.mark.parametrize("wrap", [ours, experimental])
@pytest.mark.parametrize("eagerly", [False, True])
def test_what_an_optimizer_says_itself_is_not_said_again(
    wrap: Any, eagerly: bool, family: Family, said: Said
) -> None:
    model = model_with(small(wrap, family), run_eagerly=eagerly)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", errors.LossScaleStuckWarning)
        fit(model, LossScaleLogger(every=1), batches=[BAD] * 5, epochs=2)
    warned = [str(w.message) for w in caught if w.category is errors.LossScaleStuckWarning]
    assert len(warned) == 1
    assert said() == []


def test_what_xla_compiled_the_optimizer_says_when_the_callback_looks(said: Said) -> None:
    model = model_with(small(ours, Family("new")), jit_compile=True)
    with pytest.warns(errors.LossScaleStuckWarning, match=STUCK):
        fit(model, LossScaleLogger(every=1), batches=[BAD] * 5)
    assert said() == []


def test_a_scale_at_its_floor_without_skipped_steps_is_not_warned_of(said: Said) -> None:
    optimizer = small(ours, Family("new"), initial_scale=1.0, dynamic_growth_steps=100)
    fit(model_with(optimizer), LossScaleLogger(every=1), batches=[GOOD] * 3)
    assert said() == []


@every_wrapper
def test_a_scale_stuck_at_its_cap_is_warned_of_once(wrap: Any, family: Family, said: Said) -> None:
    optimizer = small(wrap, family, initial_scale=2.0**126, dynamic_growth_steps=1)
    fit(model_with(optimizer), LossScaleLogger(), batches=[0.0] * 3, epochs=2)
    (message,) = said()
    assert says(
        message,
        "LossScaleLogger: the loss scale is at its cap, 1.7e+38 (step 3). No gradient has "
        "overflowed. Check whether the gradients are all zero, and whether anything computes in "
        "float16; if nothing does, you need no loss scale.",
    )


def summaries(folder: Path) -> list[tuple[str, int, float]]:
    (file,) = folder.iterdir()
    return [
        (value.tag, event.step, float(tf.make_ndarray(value.tensor)))
        for event in tf.compat.v1.train.summary_iterator(str(file))
        for value in event.summary.value
    ]


@pytest.mark.parametrize("given", ["log_dir", "writer"])
def test_summaries_are_written(tmp_path: Path, given: str) -> None:
    folder = tmp_path / "logs"
    place = folder if given == "log_dir" else tf.summary.create_file_writer(str(folder))
    logger = LossScaleLogger(every=1, **{given: place})
    fit(model_with(small(ours, Family("new"))), logger, batches=[GOOD, BAD])
    assert [row for row in summaries(folder) if row[0] != "good_steps"] == [
        ("loss_scale", 1, 8.0),
        ("skipped_steps", 1, 0.0),
        ("loss_scale", 2, 4.0),
        ("skipped_steps", 2, 1.0),
    ]


def test_the_example_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (REPOSITORY / "docs" / "watching.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    x = np.ones((4, 1), np.float32)
    names = {"model": model_with(small(ours, Family("new"))), "x": x, "y": x}
    exec(example, names)
    assert (tmp_path / "loss_scale.png").stat().st_size > 0


def test_training_again_begins_a_new_history() -> None:
    model, logger = model_with(small(ours, Family("new"))), LossScaleLogger()
    fit(model, logger)
    fit(model, logger)
    assert logger.history["step"] == [12]


def test_a_loop_without_fit_looks_itself() -> None:
    variable = tf.Variable(1.0)
    optimizer = small(ours, Family("new"))
    logger = LossScaleLogger(every=1, optimizer=optimizer)
    for value in (GOOD, BAD):
        optimizer.minimize(lambda value=value: variable * value, [variable])
        seen = logger.observe()
    assert seen["loss_scale"] == 4.0
    assert logger.history["loss_scale"] == [8.0, 4.0]
    assert plot_history(logger).axes[-1].get_xlabel() == "step"


def test_an_optimizer_of_tensorflow_1_can_be_watched() -> None:
    variable = tf.Variable(1.0)
    optimizer = v1.MixedPrecisionLossScaleOptimizer(
        tf.compat.v1.train.GradientDescentOptimizer(0.1), compat_lossscale.DynamicLossScale(8, 2)
    )
    logger = LossScaleLogger(optimizer=optimizer)
    for value in (GOOD, GOOD, BAD):
        optimizer.minimize(lambda value=value: variable * value, var_list=[variable])
        logger.observe()
    assert logger.history["loss_scale"] == [8.0, 16.0, 8.0]
    assert logger.history["good_steps"] == [1, 0, 0]


def test_keras_in_a_graph_is_watched() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session().as_default():
        logger = LossScaleLogger(every=1)
        fit(model_with(small(ours, Family("legacy"))), logger)
        before = len(tf.compat.v1.get_default_graph().get_operations())
        logger.observe()
        assert len(tf.compat.v1.get_default_graph().get_operations()) == before
        assert logger.history["loss_scale"] == SCALES
        assert logger.history["skipped_steps"] == SKIPPED
        with pytest.raises(errors.LossScaleArgumentError, match="written in eager mode only"):
            LossScaleLogger(log_dir="logs")


@pytest.mark.parametrize("every", [0, -1, 1.5, "epoch"])
def test_every_must_be_a_positive_whole_number(every: Any) -> None:
    with pytest.raises(ValueError, match="must be a positive whole number of batches"):
        LossScaleLogger(every)


def test_summaries_go_to_one_place(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='give "log_dir" or "writer", not both'):
        LossScaleLogger(log_dir=tmp_path, writer=tf.summary.create_noop_writer())


# --- Keras 3 --------------------------------------------------------------------------------------


def model_of_keras_3(optimizer: Any) -> Any:
    layer = keras.layers.Dense(1, kernel_initializer="zeros")
    model = keras.Sequential([keras.Input((1,)), layer])
    model.compile(optimizer, "mae")
    return model


def optimizer_of_keras_3(**kwargs: Any) -> Any:
    return keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.0), **kwargs)


def test_every_step_of_keras_3_is_seen_if_asked_also_those_that_it_does_not_count() -> None:
    logger = LossScaleLogger(every=1)
    optimizer = optimizer_of_keras_3(initial_scale=8.0, dynamic_growth_steps=2)
    history = fit(model_of_keras_3(optimizer), logger)
    assert logger.history == {
        "step": [1, 2, 2, 3, 3, 3],
        "loss_scale": SCALES,
        "good_steps": GOOD_STEPS,
        "skipped_steps": SKIPPED,
    }
    last = {name: values[-1:] for name, values in logger.history.items() if name != "step"}
    assert {name: history.history[name] for name in last} == last


def test_epochs_of_keras_3_are_seen_by_default() -> None:
    logger = LossScaleLogger()
    optimizer = optimizer_of_keras_3(initial_scale=8.0, dynamic_growth_steps=2)
    history = fit(model_of_keras_3(optimizer), logger, epochs=2, batches=BATCHES[:4])
    assert history.history["loss_scale"] == [8.0, 8.0]
    assert logger.history["step"] == [3, 6]


def test_an_optimizer_of_keras_3_without_a_loss_scale_is_warned_of(said: Said) -> None:
    fit(model_of_keras_3("sgd"), LossScaleLogger(), batches=[GOOD])
    assert "the optimizer, SGD, has no loss scale" in said()[0]


def test_a_loss_scale_of_keras_3_that_shrinks_below_1_is_warned_of_once(said: Said) -> None:
    optimizer = optimizer_of_keras_3(initial_scale=2.0)
    fit(model_of_keras_3(optimizer), LossScaleLogger(every=1), batches=[BAD] * 4)
    (message,) = said()
    assert "the loss scale is below 1, and steps are still skipped (step 0)" in message


def test_a_loss_scale_of_keras_3_at_its_cap_is_warned_of_once(said: Said) -> None:
    optimizer = optimizer_of_keras_3(initial_scale=2.0**126, dynamic_growth_steps=1)
    fit(model_of_keras_3(optimizer), LossScaleLogger(every=1), batches=[0.0] * 4)
    (message,) = said()
    assert "it would be infinite if it grew again" in message


# --- The state that is read -------------------------------------------------------------------


def test_state_of_a_dynamic_loss_scale() -> None:
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.legacy.SGD(), initial_scale=8.0
    )
    read = LossScaleLogger._reader_of(optimizer)
    assert read() == {"step": 0, "loss_scale": 8.0, "good_steps": 0, "skipped_steps": 0}
    variable = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(float("nan")), variable)])
    optimizer.apply_gradients([(tf.constant(1.0), variable)])
    assert read() == {"step": 2, "loss_scale": 4.0, "good_steps": 1, "skipped_steps": 1}


def test_state_of_a_fixed_loss_scale_has_no_good_steps() -> None:
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.legacy.SGD(), dynamic=False, initial_scale=8.0
    )
    state = LossScaleLogger._reader_of(optimizer)()
    assert state["loss_scale"] == 8.0
    assert "good_steps" not in state


def test_another_backend_of_keras_3_needs_the_callback_of_keras_3(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(), initial_scale=8.0)
    assert LossScaleLogger._reader_of(optimizer)()["loss_scale"] == 8.0
    monkeypatch.setattr(keras.config, "backend", lambda: "jax")
    with pytest.raises(errors.LossScaleArgumentError, match=r"on jax.*keras3\.LossScaleLogger"):
        LossScaleLogger._reader_of(optimizer)
