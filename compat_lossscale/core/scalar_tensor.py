# SPDX-License-Identifier: Apache-2.0
"""`ScalarTensor`: a live Python object that TensorFlow takes for a float32 scalar tensor.

Up to TensorFlow 2.3 an optimizer's `.loss_scale` was an object to call; in 2.4 it was a tensor.
An object that is both lets programs of either era run. It stands for its *current* value each time
it is used; `tf.identity(x)`, `x.numpy()` and `float(x)` take a snapshot.
"""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
import tensorflow as tf

from compat_lossscale.core.private import Value

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

    def __copy__(self) -> ScalarTensor:
        copied: ScalarTensor = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied
