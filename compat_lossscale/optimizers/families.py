# SPDX-License-Identifier: Apache-2.0
"""How one optimizer class serves both families of optimizers: it is joined with a front end.

tf-keras has two families of optimizers with different base classes, and a wrapper has to be an
instance of the base class that it wraps. An optimizer therefore becomes, when it learns what it
wraps, an instance of its own class *joined* with that family's front end. Users see, subclass and
compare one class only.
"""

from __future__ import annotations

import copyreg
import functools
import sys
import threading
from typing import Any

from compat_lossscale.optimizers import stock

FRONT_ENDS: dict[type, type] = {}
"""The front end by the base class of its family. Each front end's module adds its own."""
_joining = threading.RLock()


class LossScaleOptimizerType(stock.LossScaleOptimizerMetaclass):
    """The type of `LossScaleOptimizer` and its subclasses.

    A class and what it becomes for a family of optimizers count as equal and pass each other's
    type tests, so that `type(opt) == LossScaleOptimizer` holds, as in TensorFlow 2.0 to 2.10.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> LossScaleOptimizerType:
        """Makes a class. A subclass of a joined class derives from the declared one instead.

        So it serves every family, as its parent does.
        """
        if "_declared_class" not in namespace:
            bases = tuple(declared(base) for base in bases)
            # Of a class made by `type(name, bases, {})`; Python would say that it is of here.
            caller = sys._getframe(1).f_globals.get("__name__")
            namespace = {"__module__": caller, **namespace}
        made: LossScaleOptimizerType = super().__new__(cls, name, bases, namespace, **kwargs)
        return made

    __call__ = type.__call__

    def __instancecheck__(self, instance: object) -> bool:
        return type.__instancecheck__(declared(self), instance)

    def __subclasscheck__(self, subclass: type) -> bool:
        return type.__subclasscheck__(declared(self), subclass)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LossScaleOptimizerType):
            return NotImplemented
        return declared(self) is declared(other)

    def __hash__(self) -> int:
        return type.__hash__(declared(self))


def declared(cls: type) -> type:
    """The class that was written in source code, for one that was joined with a front end."""
    base: type = cls.__dict__.get("_declared_class", cls)
    return base


def family_of(optimizer: Any) -> type | None:
    """The base class of the family that an optimizer is of; `None` if it is of neither."""
    return next((family for family in FRONT_ENDS if isinstance(optimizer, family)), None)


def joined(cls: type, front_end: type) -> type:
    """Joins a LossScaleOptimizer class with the front end of a family of optimizers.

    Args:
        cls: `LossScaleOptimizer` or a subclass, as declared.
        front_end: The family's front end.

    Returns:
        A subclass of both. The package's own classes take the name under which tf-keras knows its
        own class of that family, so that what they save can be loaded without this package.
    """
    # One at a time: threads that join a class at once would each get another one.
    with _joining:
        return _joined(cls, front_end)


@functools.cache
def _joined(cls: type, front_end: type) -> type:
    parents = [base for base in cls.__bases__ if isinstance(base, LossScaleOptimizerType)]
    bases = (
        (cls, *(joined(parent, front_end) for parent in parents)) if parents else (cls, front_end)
    )
    is_ours = cls.__module__.startswith(f"{__package__}.")
    named = front_end.__bases__[0] if is_ours else cls
    namespace: dict[str, Any] = {
        "__doc__": cls.__doc__,
        "__module__": named.__module__,
        "__qualname__": named.__qualname__,
        "_declared_class": cls,
    }
    if not is_ours:
        # `super(self.__class__, self)` in a user's class means the class that is written there.
        namespace["__class__"] = property(lambda self: declared(type(self)))
    return type(cls)(named.__name__, bases, namespace)


def _reduce(cls: type) -> Any:
    """What pickle is to do for a class: look up a declared one, and join a joined one again."""
    if declared(cls) is cls:
        return cls.__qualname__
    return _joined_again, (declared(cls), issubclass(cls, stock.OptimizerV2))


def _joined_again(cls: type, legacy: bool) -> type:
    return joined(cls, FRONT_ENDS[stock.OptimizerV2 if legacy else stock.Optimizer])


copyreg.pickle(LossScaleOptimizerType, _reduce)


def become(optimizer: Any, family: type) -> None:
    """Turns a wrapper into an instance of its own class joined with a family's front end."""
    cls = joined(declared(type(optimizer)), FRONT_ENDS[family])
    # Past the attribute handling of Keras' optimizers.
    object.__dict__["__class__"].__set__(optimizer, cls)
