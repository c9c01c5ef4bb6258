# SPDX-License-Identifier: Apache-2.0
"""What a step computes, as the textbook has it. Read this first.

    scaled loss  = loss * loss scale
    gradients    = derivatives of the scaled loss / loss scale
    if no gradient holds a NaN or an infinity:
        apply the gradients
    loss scale   = next_state(loss scale, whether they were applied)

The first two lines and the question are here, the branch is in `step.py`, and `next_state` is in
`compat_lossscale.spec`. Each loss and each gradient is multiplied once, where tf-keras multiplies
it, so that the bits are the same. The question has one bool as its answer, however it is found, and
is asked in few operations: to start one takes longer than a small tensor's arithmetic.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.native import as_written
from compat_lossscale.errors import UnscalableError

_SMALL = 512
"""Elements up to which copying a tensor costs less than the operations that it spares."""
_LARGE = 2**17
"""Elements from which a mean takes less time than to ask for each, and pays for the branch."""


@as_written
def scale_loss(loss: Any, loss_scale: Callable[[], tf.Tensor]) -> Any:
    """Multiplies a loss by the loss scale, in the loss's own dtype.

    The loss is a floating-point tensor of any shape, which may be ragged or sparse, and stays one.

    Raises:
        UnscalableError: It is a bool, or it has no dtype and is not made of Python floats.
    """
    if not isinstance(loss, tf.RaggedTensor | tf.SparseTensor):
        loss = _as_tensor(loss)
    return loss * tf.cast(loss_scale(), loss.dtype)


def _as_tensor(value: Any) -> tf.Tensor:
    tensor = None if value is None else tf.convert_to_tensor(value)
    dtype = None if tensor is None else tensor.dtype
    if dtype is None or dtype.is_bool or not (dtype.is_floating or hasattr(value, "dtype")):
        raise UnscalableError(
            f"A loss or a gradient must be a floating-point tensor, but got: {value!r}. If it is "
            "meant to be one, convert it by tf.cast(..., tf.float32)."
        )
    return tensor


@as_written
def unscale_gradients(gradients: Iterable[Any], loss_scale: tf.Tensor) -> list[Any]:
    """Divides every gradient by the loss scale, and keeps its dtype and kind.

    `None` stays `None`, and `tf.IndexedSlices` stay sparse (since TensorFlow 2.3; they became dense
    before).
    """
    factor: Callable[[tf.DType], tf.Tensor] = functools.partial(tf.cast, 1.0 / loss_scale)
    if tf.executing_eagerly():
        factor = functools.cache(factor)  # one for each dtype
    return [None if one is None else _multiply(one, factor) for one in gradients]


def _multiply(gradient: Any, factor: Callable[[tf.DType], tf.Tensor]) -> Any:
    value = value_of(gradient)
    return _with_value(gradient, value * factor(value.dtype))


@as_written
def all_finite(gradients: Any) -> tf.Tensor:
    """Asks whether no gradient in a nested structure holds a NaN or an infinity.

    No gradients at all count as finite, and `None` is left out.
    """
    tensors = _concatenated(values_of(tf.nest.flatten(gradients)))
    large = [tensor for tensor in tensors if _is_large(tensor)]
    if not large:
        return _every_element_is_finite(tensors)
    others = [tensor for tensor in tensors if not _is_large(tensor)]
    # A graph of TensorFlow 1 may go into a file that has no functions.
    may_call = tf.compat.v1.executing_eagerly_outside_functions()
    ask: Callable[..., tf.Tensor] = _traced_finite_by_mean if may_call else _finite_by_mean
    return ask(large, others)


def _finite_by_mean(large: Sequence[tf.Tensor], others: Sequence[tf.Tensor]) -> tf.Tensor:
    """Takes the means of large tensors, and looks at each element only if these do not tell.

    A finite mean shows that all elements are finite. It reads a tensor once and takes no memory.
    A mean, because a sum makes TensorFlow's graph optimizer rewrite what is around the gradient,
    which moved the last bit of InceptionResNetV2 on Keras 3.
    """
    total = tf.add_n([tf.cast(tf.reduce_mean(tensor), tf.float32) for tensor in large])
    return tf.cond(
        tf.math.is_finite(total),
        lambda: _every_element_is_finite(others),
        # An element is not finite, or the sum in a mean overflows.
        lambda: _every_element_is_finite([*large, *others]),
        name="cond/all_finite",  # See `reserve_cond`.
    )


# Traced once for the steps of all functions. The rows of sparse gradients vary from step to step.
_traced_finite_by_mean: Any = tf.function(_finite_by_mean, autograph=False, reduce_retracing=True)


def _every_element_is_finite(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    finite = [tf.reduce_all(tf.math.is_finite(tensor)) for tensor in tensors]
    return finite[0] if len(finite) == 1 else tf.reduce_all(finite or True)


def _is_large(tensor: tf.Tensor) -> bool:
    elements = tensor.shape.num_elements()
    # Sums of float16 often overflow.
    return elements is not None and int(elements) >= _LARGE and bool(tensor.dtype != tf.float16)


def _concatenated(tensors: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """Fewer tensors of the same elements: small ones of a dtype and a shape of rows are one."""
    groups: dict[Any, list[tf.Tensor]] = {}
    for number, tensor in enumerate(tensors):
        elements = tensor.shape.num_elements()
        is_small = elements is not None and 1 <= elements <= _SMALL and tensor.shape.rank
        kind = (tensor.dtype, *tensor.shape[1:].as_list()) if is_small else number
        groups.setdefault(kind, []).append(tensor)
    return [one[0] if len(one) == 1 else tf.concat(one, axis=0) for one in groups.values()]


def value_of(gradient: Any) -> tf.Tensor:
    """The tensor of a dense gradient, the values of a sparse or ragged one."""
    if isinstance(gradient, tf.Tensor):
        return gradient
    if isinstance(gradient, tf.IndexedSlices | tf.SparseTensor):
        return gradient.values
    if isinstance(gradient, tf.RaggedTensor):
        return gradient.flat_values
    return _as_tensor(gradient)


def values_of(gradients: Iterable[Any]) -> list[tf.Tensor]:
    """The values of gradients; `None` is left out."""
    return [value_of(one) for one in gradients if one is not None]


def _with_value(gradient: Any, value: tf.Tensor) -> Any:
    """A gradient like another one, but of other values."""
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(value, gradient.indices, gradient.dense_shape)
    if isinstance(gradient, tf.SparseTensor):
        return tf.SparseTensor(gradient.indices, value, gradient.dense_shape)
    if isinstance(gradient, tf.RaggedTensor):
        return gradient.with_flat_values(value)
    return value


def unzip(grads_and_vars: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Splits pairs of a gradient and a variable into two lists."""
    pairs = list(grads_and_vars)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]


def must_merge() -> bool:
    """Whether this is a replica's view and the loss scale's variables can't be assigned from it."""
    return (
        tf.distribute.has_strategy()
        and not tf.distribute.in_cross_replica_context()
        and not native.replicas_apply_by_themselves()
    )


def finite_on_all_replicas(gradients: Any) -> tf.Tensor:
    """Asks whether all gradients are finite on each replica that is in view."""
    if not (tf.distribute.has_strategy() and tf.distribute.in_cross_replica_context()):
        return all_finite(gradients)
    strategy = tf.distribute.get_strategy()
    # Strategies reduce numbers, not bools.
    finite = strategy.extended.call_for_each_replica(
        lambda gradients: tf.cast(all_finite(gradients), tf.float32), args=(gradients,)
    )
    total = strategy.reduce(tf.distribute.ReduceOp.SUM, finite, axis=None)
    return tf.equal(total, float(strategy.num_replicas_in_sync))


def grouped(*done: Any) -> Any:
    """One operation for all that was done, also in lists, on any replica; `None` in eager mode."""
    if tf.executing_eagerly():
        return None
    results = tf.distribute.get_strategy().experimental_local_results
    flat = (one for each in tf.nest.flatten(done) for one in results(each))
    return tf.group(*(one for one in flat if one is not None))


def supports_strategy() -> bool:
    """Whether loss scaling works under the current `tf.distribute` strategy.

    It works where each replica has its own copy of every variable, so that gradients are unscaled
    once per copy: without a strategy, and under OneDevice, Mirrored and MultiWorkerMirrored
    strategies. Source: TensorFlow 2.2 and later.
    """
    if not tf.distribute.has_strategy():
        return True
    supported = (
        tf.distribute.OneDeviceStrategy,
        tf.compat.v1.distribute.OneDeviceStrategy,
        tf.distribute.MirroredStrategy,
        tf.compat.v1.distribute.MirroredStrategy,
        tf.distribute.MultiWorkerMirroredStrategy,
        tf.compat.v1.distribute.experimental.MultiWorkerMirroredStrategy,
    )
    return isinstance(tf.distribute.get_strategy(), supported)
