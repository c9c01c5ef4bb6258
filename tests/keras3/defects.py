# SPDX-License-Identifier: Apache-2.0
"""Where Keras' own LossScaleOptimizer goes wrong, and what is wanted instead: a table.

`test_defects.py` observes both classes. `python -m tests.keras3.defects` writes the documentation's
table, `defects.md`.
"""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np

from compat_lossscale.errors import AlreadyWrappedError, LossScaleMisuseWarning
from tests.keras3 import two_workers
from tests.keras3.stepping import BACKEND, stepper, take_step, tensors_of, values_in, variables_of
from tests.support import NAN

Stock = keras.optimizers.LossScaleOptimizer
RECORDED_WITH = (3, 15)
"""The Keras whose own class does what is recorded here."""
TABLE = Path(__file__).with_name("defects.md")


@dataclasses.dataclass(frozen=True)
class Defect:
    """One case.

    Attributes:
        case: What is done.
        stock: What Keras' own class does, in words.
        ours: What this package's does, in words.
        observe: Does it with a class, and returns what came of it.
        stock_gives: What comes of it with Keras' own.
        ours_gives: What comes of it with this package's.
        backends: Where that is so.
        takes_long: Whether it is tested at night only.
    """

    case: str
    stock: str
    ours: str
    observe: Callable[[Any], Any]
    stock_gives: Any
    ours_gives: Any
    backends: tuple[str, ...] = ("tensorflow", "jax", "torch")
    takes_long: bool = False


def _stepped(optimizer: Any, gradients: list[Any], start: float = 1.0) -> tuple[float, float]:
    """Steps with some gradients, and returns the variable and the loss scale."""
    variables = variables_of([start])
    for gradient in gradients:
        take_step(optimizer, tensors_of([gradient]), variables)
    return float(values_in(variables)[0][0]), float(values_in([optimizer.dynamic_scale])[0])


def _grows(cls: Any) -> Any:
    optimizer = cls(keras.optimizers.SGD(1.0), initial_scale=2.0**126, dynamic_growth_steps=1)
    variables = variables_of([1.0])
    optimizer.build(variables)
    for _ in range(8):
        gradient = float(optimizer.scale_loss(keras.ops.convert_to_tensor(1e-30)))
        take_step(optimizer, tensors_of([gradient]), variables)
    return int(optimizer.iterations), float(values_in([optimizer.dynamic_scale])[0])


def _falls(cls: Any) -> Any:
    optimizer = cls(keras.optimizers.SGD(1.0), initial_scale=4.0)
    variables = variables_of([1.0])
    # Without compilation, JAX would compile something in each step.
    step = stepper(optimizer, variables, "jit" if BACKEND == "jax" else "eager")
    for gradient in [NAN] * 160 + [0.0]:
        step([gradient])
    return str(values_in(variables)[0][0]), float(values_in([optimizer.dynamic_scale])[0])


def _without_scale_loss(cls: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, _ = _stepped(cls(keras.optimizers.SGD(1.0)), [1.0], 0.0)
    return value, any(one.category is LossScaleMisuseWarning for one in caught)


def _clip_between(cls: Any) -> Any:
    optimizer = cls(keras.optimizers.SGD(1.0), initial_scale=8.0)
    (variable,) = variables_of([0.0])
    optimizer.build([variable])
    if not hasattr(optimizer, "get_unscaled_gradients"):
        # The gradient of a loss of slope 4, clipped at 1.
        clipped = [keras.ops.clip(one, -1.0, 1.0) for one in tensors_of([32.0])]
        take_step(optimizer, clipped, [variable])
    else:
        unscaled = optimizer.get_unscaled_gradients(tensors_of([32.0]))
        clipped = [keras.ops.clip(one, -1.0, 1.0) for one in unscaled]
        take_step(optimizer, clipped, [variable])
    return float(values_in([variable])[0][0])


def _excluded(cls: Any) -> Any:
    inner = keras.optimizers.SGD(1.0, weight_decay=0.5)
    optimizer = cls(inner, initial_scale=1.0)
    variables = variables_of([1.0], [1.0])
    optimizer.exclude_from_weight_decay(var_list=variables[:1])
    take_step(optimizer, tensors_of([0.0], [0.0]), variables)
    return [float(one[0]) for one in values_in(variables)]


def _set_weights(cls: Any) -> Any:
    optimizer = cls(keras.optimizers.SGD(1.0, momentum=0.5))
    optimizer.build(variables_of([1.0]))
    optimizer.set_weights([np.ones(one.shape, one.dtype) for one in optimizer.variables])
    return [float(np.max(one)) for one in values_in(optimizer.variables)]


def _from_config_twice(cls: Any) -> Any:
    config = cls(keras.optimizers.SGD()).get_config()
    try:
        cls.from_config(config)
        cls.from_config(config)
    except KeyError as error:
        return f"KeyError: {error}"
    return "works"


def _factor(cls: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cls(keras.optimizers.SGD(loss_scale_factor=128.0))
    return len(caught)


def _float16_loss(cls: Any) -> Any:
    optimizer = cls(keras.optimizers.SGD())
    return float(optimizer.scale_loss(keras.ops.convert_to_tensor(3.0, "float16")))


def _wrapped_twice(cls: Any) -> Any:
    try:
        cls(cls(keras.optimizers.SGD()))
    except AlreadyWrappedError:
        return "an error"
    return "accepted"


def _what_apply_gradients_returns(cls: Any) -> Any:
    optimizer = cls(keras.optimizers.SGD(1.0))
    variables = variables_of([1.0])
    optimizer.scale_loss(keras.ops.convert_to_tensor(1.0))
    return int(optimizer.apply_gradients(zip(tensors_of([0.0]), variables, strict=True)))


def _one_replica(cls: Any) -> Any:
    import tensorflow as tf

    strategy = tf.distribute.MirroredStrategy(
        ["CPU:0", "CPU:1"],
        # Without collective operations, which a second strategy of a process would number alike.
        cross_device_ops=tf.distribute.ReductionToOneDevice(),
    )
    with strategy.scope():
        variable = keras.Variable([1.0])
        optimizer = cls(keras.optimizers.SGD(1.0), initial_scale=8.0)
        optimizer.build([variable])

    def on_replica() -> None:
        place = tf.distribute.get_replica_context().replica_id_in_sync_group
        optimizer.scale_loss(tf.constant(1.0))
        optimizer.apply([tf.constant([[8.0], [NAN]])[place]], [variable])

    tf.function(lambda: strategy.run(on_replica))()
    return str(float(variable.numpy()[0]))


def _one_worker(cls: Any) -> Any:
    return two_workers.observe("stock" if cls is Stock else "ours")


def _copied(cls: Any) -> Any:
    optimizer = cls(keras.optimizers.SGD(1.0, momentum=0.5))
    variables = variables_of([1.0])
    take_step(optimizer, tensors_of([2.0**15]), variables)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kept = copy.deepcopy(optimizer)
    kept.build(variables)
    is_told = any("Skipping variable loading" in str(one.message) for one in caught)
    return int(kept.iterations), is_told


def _a_row_twice(cls: Any) -> Any:
    """The second moment that Adam has of a row of which a sparse gradient has two parts."""
    import tensorflow as tf

    (table,) = variables_of(np.zeros((3, 1)))
    inner = keras.optimizers.Adam(1.0, beta_2=0.0)
    optimizer = cls(inner, initial_scale=1.0)
    optimizer.build([table])
    optimizer.scale_loss(tf.constant(1.0))
    rows = tf.IndexedSlices(tf.constant([[1.0], [3.0]]), tf.constant([2, 2]), tf.constant([3, 1]))
    optimizer.apply([rows], [table])
    return np.asarray(inner.variables[-1]).ravel().tolist()


DEFECTS = (
    Defect(
        "The scale grows beyond 2^127",
        "it becomes infinite, and every later step is skipped",
        "it stays finite, and steps are applied",
        _grows,
        (2, float("inf")),
        (8, 2.0**127),
    ),
    Defect(
        "160 steps in a row have a NaN",
        "the scale falls to 0, and the next good step writes NaN",
        "the scale stays at 1, with a warning, and the next good step is applied",
        _falls,
        ("nan", 0.0),
        ("1.0", 1.0),
    ),
    Defect(
        "A NaN on one of two replicas (`MirroredStrategy`)",
        "all replicas apply the step, and the weights become NaN",
        "all replicas skip the step",
        _one_replica,
        "nan",
        "1.0",
        ("tensorflow",),
    ),
    Defect(
        "A NaN on one of two workers (`MultiWorkerMirroredStrategy`)",
        "that worker skips the step, and the other one waits for it forever",
        "both skip the step",
        _one_worker,
        [two_workers.TIMED_OUT, "1.0"],
        ["1.0", "1.0"],
        ("tensorflow",),
        takes_long=True,
    ),
    Defect(
        "A training step that does not call `scale_loss`",
        "gradients are divided by 2^15 silently, and the model hardly trains",
        "the same with `apply`, and a warning; `apply_gradients` applies them as they are",
        _without_scale_loss,
        (-(2.0**-15), False),
        (-(2.0**-15), True),
    ),
    Defect(
        "Gradients are clipped before they are applied",
        "the clip sees scaled gradients, and the update is too small by the scale",
        "`get_unscaled_gradients` gives gradients to clip",
        _clip_between,
        -0.125,
        -1.0,
    ),
    Defect(
        "A word occurs twice in a batch (an Embedding, Adam)",
        "the second moment of its row gets the sum of two squares",
        "it gets the square of the sum, as in tf-keras",
        _a_row_twice,
        [0.0, 0.0, 10.0],
        [0.0, 0.0, 16.0],
        ("tensorflow",),
    ),
    Defect(
        "`exclude_from_weight_decay` on the wrapper",
        "it is ignored, and the variable decays",
        "the inner optimizer excludes the variable",
        _excluded,
        [0.5, 0.5],
        [1.0, 0.5],
    ),
    Defect(
        "`set_weights` on the wrapper",
        "it sets the wrapper's own variables only",
        "it sets all of them, or the inner optimizer's",
        _set_weights,
        [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0],
        [1.0] * 7,
    ),
    Defect(
        "`from_config` twice with one config",
        "`KeyError: 'inner_optimizer'`",
        "it works",
        _from_config_twice,
        "KeyError: 'inner_optimizer'",
        "works",
    ),
    Defect(
        "`loss_scale_factor` of the inner optimizer",
        "it is erased silently",
        "it is erased with a warning; with `dynamic=False` it becomes the fixed loss scale",
        _factor,
        0,
        1,
    ),
    Defect(
        "A float16 loss is scaled before the optimizer is built",
        "the product is infinite",
        "the product is finite, in float32",
        _float16_loss,
        float("inf"),
        3.0 * 2**15,
        ("tensorflow", "jax"),
    ),
    Defect(
        "A wrapper is wrapped again",
        "it is accepted, and the loss is scaled twice",
        "it is an error",
        _wrapped_twice,
        "accepted",
        "an error",
    ),
    Defect(
        "A copy, or an optimizer that is unpickled",
        "its state is lost, with a warning",
        "it has the state of the original",
        _copied,
        (0, True),
        (1, False),
    ),
    Defect(
        "What `apply_gradients` returns",
        "a count of steps that is always 0",
        "`iterations`",
        _what_apply_gradients_returns,
        0,
        1,
        ("tensorflow", "torch"),
    ),
)


def table() -> str:
    """The table in the documentation."""
    lines = [
        "<!-- Made by `python -m tests.keras3.defects`; do not edit. -->",
        "| Case | Keras 3's own | `compat_lossscale.keras3` | Backends |",
        "| --- | --- | --- | --- |",
    ]
    for one in DEFECTS:
        backends = "all" if len(one.backends) == 3 else ", ".join(one.backends)
        lines.append(f"| {one.case} | {one.stock} | {one.ours} | {backends} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
