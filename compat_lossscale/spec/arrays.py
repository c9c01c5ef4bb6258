# SPDX-License-Identifier: Apache-2.0
"""What a loss scale needs of numbers and arrays: of Python, NumPy, JAX and PyTorch.

The values decide. JAX and PyTorch are imported here only if one of their arrays is there.
"""

from __future__ import annotations

import math
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec.update_rule import PYTHON, Operations


class Scalars(NamedTuple):
    """How to compute with scalars.

    Attributes:
        operations: The arithmetic of the update rule.
        float32: Makes a float32 scalar of a number.
        int32: Makes an int32 scalar of a number.
        condition: Makes a condition for `operations.select` of a truth value.
    """

    operations: Operations
    float32: Callable[[Any], Any]
    int32: Callable[[Any], Any]
    condition: Callable[[Any], Any]


def scalars_of(*values: Any) -> Scalars:
    """Returns the arithmetic of JAX or PyTorch if a value is an array of theirs, or Python's."""
    for value in values:
        if is_torch(value):
            return _torch_scalars(value.device)
    if any(is_jax(value) for value in values):
        return _jax_scalars()
    return Scalars(PYTHON, PYTHON.float32, int, bool)


def _jax_scalars() -> Scalars:
    import jax.numpy as jnp  # noqa: PLC0415  # an array of it is there

    operations = Operations(
        jnp.where, jnp.divide, jnp.maximum, jnp.minimum, jnp.isfinite, jnp.float32
    )
    return Scalars(operations, jnp.float32, jnp.int32, jnp.asarray)


def _torch_scalars(device: Any) -> Scalars:
    import torch  # noqa: PLC0415  # a tensor of it is there

    def scalar(number: Any, dtype: Any) -> Any:
        return torch.as_tensor(number, dtype=dtype, device=device)

    def select(condition: Any, a: Any, b: Any) -> Any:
        if isinstance(condition, bool):
            return a if condition else b
        return torch.where(condition, a, b)

    operations = Operations(
        select=select,
        divide=torch.div,
        maximum=lambda tensor, floor: torch.clamp(tensor, min=floor),
        minimum=lambda tensor, cap: torch.clamp(tensor, max=cap),
        is_finite=torch.isfinite,
        float32=lambda number: number,
    )
    return Scalars(
        operations,
        lambda number: scalar(number, torch.float32),
        lambda number: scalar(number, torch.int32),
        lambda value: scalar(value, torch.bool),
    )


def is_jax(value: Any) -> bool:
    """Whether a value is an array of JAX, or stands for one in a function that is traced."""
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


def is_torch(value: Any) -> bool:
    """Whether a value is a tensor of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def in_float32(array: Any) -> Any:
    """Casts an array of float16 or bfloat16, and returns any other value as it is."""
    if "float16" not in str(getattr(array, "dtype", "")):
        return array
    return array.float() if is_torch(array) else array.astype("float32")


def beside(scalar: Any, array: Any) -> Any:
    """Returns a scalar, on the device of an array if both are tensors of PyTorch."""
    return scalar.to(array.device) if is_torch(scalar) and is_torch(array) else scalar


def map_tree(function: Callable[[Any], Any], tree: Any) -> Any:
    """Returns nested containers with `function` of each number and array in its place.

    Raises:
        LossScaleArgumentError: A value is neither a number, an array nor a container of them.
    """
    if tree is None:
        return None
    if isinstance(tree, float | int) or hasattr(tree, "dtype"):
        return function(tree)
    if type(tree) in (dict, OrderedDict):
        return type(tree)((key, map_tree(function, value)) for key, value in tree.items())
    if type(tree) in (list, tuple):
        return type(tree)([map_tree(function, value) for value in tree])
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[map_tree(function, value) for value in tree])
    jax = sys.modules.get("jax")
    if jax is None or jax.tree_util.all_leaves([tree]):
        raise LossScaleArgumentError(
            f"A {type(tree).__qualname__} is neither a number, an array nor a container of them: "
            f"{tree!r:.80}. Containers are dictionaries, lists, tuples and pytrees of JAX."
        )
    return jax.tree_util.tree_map(function, tree)


def all_finite(tree: Any) -> Any:
    """Returns whether all numbers in nested containers are finite.

    Args:
        tree: Numbers and arrays of NumPy, JAX or PyTorch, in dictionaries, lists, tuples or pytrees
            of JAX. `None` is left out.

    Returns:
        A bool; for JAX an array and for PyTorch a tensor, both without dimensions.

    Raises:
        LossScaleArgumentError: A value is neither a number, an array nor a container of them.
    """
    arrays: list[Any] = []
    map_tree(arrays.append, tree)
    if any(is_torch(one) for one in arrays):
        import torch  # noqa: PLC0415  # a tensor of it is there

        checked = [torch.isfinite(torch.as_tensor(one)).all() for one in arrays]
        return torch.stack([one.to(checked[0].device) for one in checked]).all()
    if any(is_jax(one) for one in arrays):
        import jax.numpy as jnp  # noqa: PLC0415  # an array of it is there

        return jnp.stack([jnp.isfinite(one).all() for one in arrays]).all()
    if all(isinstance(one, float | int) for one in arrays):
        return all(math.isfinite(one) for one in arrays)
    import numpy as np  # noqa: PLC0415  # an array of it is there

    return all(bool(np.isfinite(one).all()) for one in arrays)


_with_jax: set[type] = set()
"""The classes that are pytrees of JAX."""


def register_pytree(cls: type, children: tuple[str, ...], static: str) -> None:
    """Makes a class a pytree of JAX, if JAX is imported.

    Args:
        cls: The class. Its constructor takes `static`, and then the children.
        children: The attributes with scalars. Python's numbers become float32 and int32, as which
            they leave a function. Otherwise, JAX would compile the function twice.
        static: The attribute that JAX compiles into a function.
    """
    jax = sys.modules.get("jax")
    if jax is None or cls in _with_jax:
        return
    import numpy as np  # noqa: PLC0415  # JAX needs it

    types: dict[type, Any] = {float: np.float32, int: np.int32}

    def flatten(value: Any) -> tuple[list[Any], Any]:
        found = [getattr(value, name) for name in children]
        return [types.get(type(one), lambda x: x)(one) for one in found], getattr(value, static)

    def flatten_with_keys(value: Any) -> tuple[list[Any], Any]:
        found, fixed = flatten(value)
        return [*zip(map(jax.tree_util.GetAttrKey, children), found, strict=True)], fixed

    jax.tree_util.register_pytree_with_keys(
        cls, flatten_with_keys, lambda fixed, found: cls(fixed, *found), flatten
    )
    _with_jax.add(cls)
