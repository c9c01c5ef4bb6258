# SPDX-License-Identifier: Apache-2.0
"""How one optimizer class serves both families of optimizers, and what it can wrap.

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

from compat_lossscale.errors import AlreadyWrappedError, LossScaleArgumentError
from compat_lossscale.members.guards import where_to_go
from compat_lossscale.members.optimizer import wrapped_already
from compat_lossscale.optimizers import stock

old_names_are_installed = False
"""Set by `install()`. The names then stand for classes that take optimizers of both families, and
a saved optimizer comes back as the experimental class, as up to TensorFlow 2.3."""


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


def family_to_wrap(cls: type, inner_optimizer: Any, argument: str) -> type:
    """Checks that a class can wrap an optimizer.

    Args:
        cls: `LossScaleOptimizer` or a subclass, declared or joined with a family.
        inner_optimizer: What was given as the optimizer to wrap.
        argument: The name of that argument.

    Returns:
        The base class of the family that the optimizer is of.

    Raises:
        LossScaleArgumentError: It cannot be wrapped; the message says what to use instead.
    """
    if isinstance(inner_optimizer, stock.BaseLossScaleOptimizer):
        raise AlreadyWrappedError(
            "LossScaleOptimizer cannot wrap another LossScaleOptimizer, but got: "
            f"{inner_optimizer!r}. It scales the loss already; use it as it is."
        )
    if getattr(inner_optimizer, "_is_wrapped_by_loss_scale_optimizer", False):
        raise wrapped_already(inner_optimizer)
    family = family_of(inner_optimizer)
    if family is None:
        # Programs and tests match on words of the versions that had the argument.
        words = (
            f'"{argument}" must be an instance of `tf.keras.optimizers.Optimizer` or '
            f"`tf.keras.optimizers.experimental.Optimizer`, but got: {inner_optimizer!r}. An "
            "instance of OptimizerV2, which is `tf.keras.optimizers.legacy.Optimizer`, is wrapped "
            "too."
        )
        if argument == "optimizer":
            words = (
                f'"optimizer" must be an instance of OptimizerV2, but got: {inner_optimizer!r}. '
                "OptimizerV2 is `tf.keras.optimizers.legacy.Optimizer`; an instance of "
                "`tf.keras.optimizers.Optimizer` is wrapped too."
            )
        raise LossScaleArgumentError(words + where_to_go(inner_optimizer, "tf.keras", _ELSEWHERE))
    is_of_one_family = declared(cls) is not cls and not old_names_are_installed
    if is_of_one_family and not issubclass(cls, family):
        # Programs and tests match on words of TensorFlow 2.10 and later.
        kind = (
            "only the new experimental optimizers"
            if family is stock.OptimizerV2
            else "only the classic optimizers subclassing from `tf.keras.optimizers.Optimizer`"
        )
        raise LossScaleArgumentError(
            f"To this {cls.__name__}, the type of an instance, {kind} can be passed, but got: "
            f"{inner_optimizer!r}. The class {declared(cls).__name__} itself wraps both "
            "kinds."
        )
    return family


_ELSEWHERE = {
    "tensorflow.python.keras.": (
        "It is of tensorflow.python.keras, a private copy of Keras that TensorFlow keeps for "
        "itself. Use the optimizer of that name in tf.keras.optimizers.legacy instead, the same "
        "optimizer."
    ),
    "keras.src.optimizers.loss_scale_optimizer": (
        "It is Keras 3's own LossScaleOptimizer, which scales the loss already. Use it as it is, "
        "to train a model of Keras 3."
    ),
    "keras.": (
        "It is of Keras 3. Use one of tf_keras.optimizers instead, or Keras 3's own "
        "keras.optimizers.LossScaleOptimizer."
    ),
}
