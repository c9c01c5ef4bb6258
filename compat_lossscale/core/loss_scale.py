# SPDX-License-Identifier: Apache-2.0
"""`LossScale`, the base class of loss scales, and `FixedLossScale`.

They have every public member of the classes that TensorFlow 1.14 to 2.4 named
`tf.train.experimental.LossScale` and so on. The optimizers of every generation here keep their
state in one of them, or in a `DynamicLossScale`.
"""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.native import Value
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleSpec, check_fixed_value

_ASKED_OF_EAGER_TENSORS = {
    "_copy", "_datatype_enum", "_handle_data", "_id", "_num_elements", "_numpy", "_numpy_internal",
    "_rank", "_shape_tuple", "backing_device", "cpu", "ndim",
}  # fmt: skip
"""What TensorFlow reads from an eager tensor beyond the public members of `tf.Tensor`."""


class ScalarTensor(Value, tf.Tensor):
    """Base of objects whose call gives a float32 scalar tensor and that can be used as that tensor.

    Operators, `tf` functions, `float()`, `int()`, numpy and formatting all act on `self()`.
    `isinstance(x, tf.Tensor)` holds. `bool(x)` is `True`, as it was for the objects of TensorFlow
    2.3 and for every non-zero tensor.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Makes the instance itself; `tf.Tensor` would make a symbolic tensor."""
        return object.__new__(cls)

    @abc.abstractmethod
    def __call__(self) -> tf.Tensor:
        """Returns the current value as a float32 scalar tensor."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> tf.Tensor:
        """Converts to a tensor, for every TensorFlow function that takes one."""
        return self().__tf_tensor__(dtype, name)

    def __tf_tracing_type__(self, context: Any) -> tf.TensorSpec:
        """Enters a `tf.function` as the tensor it stands for."""
        return tf.TensorSpec([], tf.float32)

    @property
    def _tf_should_use_wrapped_value(self) -> tf.Tensor:
        """Where TensorFlow's native code looks for the tensor behind a wrapper of one."""
        return self()

    _graph_element: tf.Tensor | None = None

    def _as_graph_element(self) -> Any:
        """Lets a Session fetch it, each time as the same tensor: a graph may be finalized."""
        tensor = self._graph_element
        if tensor is None or tensor.graph is not tf.compat.v1.get_default_graph():
            tensor = self._graph_element = self()
        return tensor

    def make_fetchable(self) -> None:
        """Makes the tensor that a Session fetches, while the graph still takes operations."""
        if not tf.compat.v1.executing_eagerly_outside_functions():
            with tf.init_scope():  # Outside of the branch or loop that is being built.
                if not tf.compat.v1.get_default_graph().finalized:
                    self._as_graph_element()

    @property
    def dtype(self) -> tf.DType:
        """Always `tf.float32`."""
        return tf.float32

    _dtype = dtype

    @property
    def shape(self) -> tf.TensorShape:
        """Always the shape of a scalar."""
        return tf.TensorShape([])

    def _shape_as_list(self) -> list[int]:
        return []

    @property
    def name(self) -> str:
        """A readable name. TensorFlow's native code needs one, in eager mode too."""
        return "loss_scale"

    @property
    def op(self) -> tf.Operation:
        """The operation that gives the current value, in a graph."""
        return self().op

    @property
    def graph(self) -> tf.Graph:
        """The graph that the current value belongs to."""
        return self().graph

    @property
    def device(self) -> str:
        """The device of the current value."""
        return str(self().device)

    def numpy(self) -> np.float32:
        """Returns the current value as a numpy scalar (eager mode only)."""
        value: np.float32 = self().numpy()
        return value

    def __getattr__(self, name: str) -> Any:
        if name in _ASKED_OF_EAGER_TENSORS:
            return getattr(self(), name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.numpy(), dtype=dtype)

    def __float__(self) -> float:
        return float(self())

    def __int__(self) -> int:
        return int(self())

    def __bool__(self) -> bool:
        return True

    def __format__(self, spec: str) -> str:
        return format(self(), spec) if spec else str(self)

    def __iter__(self) -> Any:
        raise TypeError("A loss scale is a scalar and cannot be iterated over.")

    def __len__(self) -> int:
        raise TypeError("A loss scale is a scalar and has no len().")

    def __eq__(self, other: object) -> Any:
        """Compares by value, except that no loss scale equals a string or `None`.

        `loss_scale == "dynamic"` is how programs asked which kind of argument they had been given.
        """
        if self is other:
            return True
        if other is None or isinstance(other, str):
            return False
        return super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return not equal if isinstance(equal, bool) else tf.logical_not(equal)

    __hash__ = object.__hash__


class LossScale(ScalarTensor, native.LossScale):
    """Base class of loss scales, and of your own ones.

    A subclass defines `__call__`, `update` and `get_config`. It may keep state in variables made
    with `self._add_weight(name, initial_value, dtype)`, which are then saved in checkpoints under
    that name. Instances also stand for their value as a tensor: see `ScalarTensor`.

    Source: `tf.train.experimental.LossScale` of TensorFlow 1.14 to 2.4.
    """

    @abc.abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Updates the loss scale after a step.

        Args:
            grads: A nested structure of unscaled gradients. `None` is ignored. Under a
                `tf.distribute` strategy, in a cross-replica context, each may hold one value per
                replica.

        Returns:
            A pair `(update_op, should_apply)`. `update_op` is `None` in eager mode; in a graph, a
            tensor or an operation that updates. `should_apply` is a bool or a bool scalar tensor:
            if false, this step's gradients must not be applied.
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """Returns the arguments from which `from_config` makes this loss scale again."""

    @property
    def state(self) -> dict[str, tf.Variable]:
        """The variables that hold the live state, by their names in checkpoints."""
        children = self._trackable_children()
        return {name: child for name, child in children.items() if isinstance(child, tf.Variable)}

    @property
    def spec(self) -> LossScaleSpec:
        """This loss scale's spec.

        Raises:
            LossScaleArgumentError: It is neither fixed nor dynamic but of a user's own class.
        """
        return LossScaleSpec.from_argument(self)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class FixedLossScale(LossScale, native.FixedLossScale):
    """A loss scale that never changes.

    Source: `tf.train.experimental.FixedLossScale` of TensorFlow 1.14 to 2.4.

    Args:
        loss_scale_value: The value, a Python int or float of at least 1.

    Raises:
        ValueError: It is no Python number, below 1, or infinite in float32 only.
    """

    def __init__(self, loss_scale_value: float) -> None:
        if not isinstance(loss_scale_value, int | float):
            raise LossScaleArgumentError(
                f"loss_scale_value must be a Python int or float, but got: {loss_scale_value!r}."
            )
        if loss_scale_value < 1:
            raise LossScaleArgumentError(
                f"loss_scale_value must be at least 1, but got: {loss_scale_value}. Smaller "
                "ones go into compat_lossscale.LossScaleOptimizer(opt, dynamic=False, "
                "initial_scale=...)."
            )
        self._set_up(loss_scale_value)

    def _set_up(self, value: float) -> None:
        LossScale.__init__(self)
        check_fixed_value(value)
        self._loss_scale_value = float(value)

    @classmethod
    def of_any_value(cls, value: float) -> FixedLossScale:
        """Makes one of any value: the optimizers of TensorFlow 2.4 take a value below 1 too."""
        loss_scale: FixedLossScale = cls.__new__(cls)
        loss_scale._set_up(value)
        return loss_scale

    def __call__(self) -> tf.Tensor:
        """Returns the value as a float32 scalar tensor."""
        return tf.constant(self._loss_scale_value, tf.float32)

    def update(self, grads: Any) -> tuple[Any, bool]:
        """Changes nothing. Returns `(no-op, True)`: non-finite gradients are applied as well."""
        del grads
        return tf.no_op(), True

    def get_config(self) -> dict[str, Any]:
        """Returns `{"loss_scale_value": value}`."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"
