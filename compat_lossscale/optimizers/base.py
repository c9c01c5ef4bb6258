# SPDX-License-Identifier: Apache-2.0
"""`LossScaleOptimizer`: the public class, and how it serves both families of optimizers.

tf-keras has two families of optimizers with different base classes, and a wrapper has to be an
instance of the base class that it wraps. An optimizer therefore becomes, when it learns what it
wraps, an instance of its own class *joined* with that family's front end. Users see, subclass and
compare one class only. What the two front ends have in common is in that class.
"""

from __future__ import annotations

import copy
import copyreg
import functools
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from compat_lossscale import core
from compat_lossscale.errors import AlreadyWrappedError, LossScaleArgumentError
from compat_lossscale.members.guards import GuardsScaling, where_to_go
from compat_lossscale.members.loss_scales import LossScaleConfigs, initial_scale_of
from compat_lossscale.members.optimizer import (
    OldMembers,
    check_in_replica_context,
    check_strategy,
    wrapped_already,
)
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
    """Joins a LossScaleOptimizer class, as declared, with the front end of a family of optimizers.

    The result is a subclass of both. The package's own classes take the name under which tf-keras
    knows its own class of that family, so that what they save can be loaded without this package.
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
    """Returns the base class of the family that an optimizer is of, if a class can wrap it.

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


WEIGHTS = "_unpickled_weights"
"""The attribute in which an unpickled optimizer keeps its weights until it has variables."""


def _value(variable: Any) -> np.ndarray[Any, Any]:
    return np.asarray(tf_keras.backend.get_value(variable))


def _unpickled(
    cls: Any,
    inner: tuple[str, Any, Mapping[str, Any]],
    config: Mapping[str, Any],
    state: Mapping[str, np.ndarray[Any, Any]],
    weights: Sequence[np.ndarray[Any, Any]],
) -> Any:
    key, inner_class, inner_config = inner
    made = cls.from_config({**config, key: inner_class.from_config(dict(inner_config))})
    for name, variable in made._loss_scale.state.items():
        tf_keras.backend.set_value(variable, state[name])
    if weights:
        # Some optimizers make their step count only when they are asked for it.
        there = [made.iterations, *made.weights[1:]]
        for variable, value in zip(there, weights, strict=False):
            tf_keras.backend.set_value(variable, value)
        if len(weights) > len(there):
            made.__dict__[WEIGHTS] = list(weights)
    return made


def restore_weights(optimizer: Any, variables: Sequence[Any]) -> None:
    """Gives an unpickled optimizer its weights back, once it has variables to train."""
    weights = optimizer.__dict__.pop(WEIGHTS)
    with tf.init_scope():
        optimizer._make_weights(variables)
        if [weight.shape for weight in optimizer.weights] == [value.shape for value in weights]:
            optimizer.set_weights(weights)
        else:
            tf.get_logger().warning(
                "This optimizer was pickled with slots of other shapes than those of the variables "
                "that it now applies gradients to. The slots start again."
            )


configs = LossScaleConfigs(tf_keras.utils.get_registered_name, tf_keras.utils.get_registered_object)
"""Loss scales to and from configs, by tf-keras' registry."""

_EXAMPLE = """
    with tf.GradientTape() as tape:
        loss = loss_fn()
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, variables)
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, variables))"""


class LossScaleOptimizer(
    OldMembers, GuardsScaling, stock.BaseLossScaleOptimizer, metaclass=LossScaleOptimizerType
):
    """Wraps an optimizer so that the loss is scaled and bad steps are skipped.

    `minimize` does everything. In a loop with `tf.GradientTape`, scale the loss before the tape
    differentiates it, and unscale the gradients before applying them::

        with tf.GradientTape() as tape:
            loss = opt.get_scaled_loss(loss_fn())
        gradients = opt.get_unscaled_gradients(tape.gradient(loss, variables))
        opt.apply_gradients(zip(gradients, variables))

    Instances are also instances of `tf.keras.mixed_precision.LossScaleOptimizer` and of the wrapped
    optimizer's base class. You can subclass the class.

    Source: `tf.keras.mixed_precision.LossScaleOptimizer` of TensorFlow 2.4.

    Args:
        inner_optimizer: The optimizer to wrap: a `tf_keras.optimizers.Optimizer` or a
            `tf_keras.optimizers.legacy.Optimizer`.
        dynamic: Whether the loss scale follows the gradients or stays fixed.
        initial_scale: The first value of a dynamic scale (default 2 ** 15), or the fixed value.
        dynamic_growth_steps: Good steps in a row after which a dynamic scale doubles (default
            2000). Must be `None` for a fixed one, and with a rule.
        rule: The rule by which a dynamic scale moves. TensorFlow has no such argument; by default,
            TensorFlow's own.

    Raises:
        TypeError: `inner_optimizer` is no Keras optimizer or is a LossScaleOptimizer already, or
            `dynamic` is no bool.
        ValueError: Another LossScaleOptimizer wraps `inner_optimizer`, the strategy is not
            supported, or the other arguments contradict `dynamic`. (The error is of both kinds,
            and an `AttributeError` too where TensorFlow 2.4 raised one.)
    """

    _configs = configs
    _optimizer: Any
    _wrap_in_family: Callable[[Any], None]
    """Is defined by the front ends: wraps an optimizer of their family."""
    _make_weights: Callable[[Sequence[Any]], None]
    """Is defined by the front ends: makes the inner optimizer's weights for some variables."""

    def _wrap(
        self,
        inner_optimizer: Any,
        make_loss_scale: Callable[[], core.LossScale],
        argument: str = "inner_optimizer",
    ) -> None:
        """Becomes a wrapper of the inner optimizer's family, and wraps it."""
        family = family_to_wrap(type(self), inner_optimizer, argument)
        # Made before anything is wrapped: it may refuse, and the program may try again.
        loss_scale = make_loss_scale()
        become(self, family)
        self._wrap_in_family(inner_optimizer)
        self._attach(loss_scale)

    def _attach(self, loss_scale: core.LossScale) -> None:
        # Past the optimizer's own attribute handling, which would put it into checkpoints.
        self.__dict__["_loss_scale"] = loss_scale
        self._start_counting()
        if type(loss_scale) is not core.FixedLossScale:
            self._track_trackable(loss_scale, "loss_scale", overwrite=True)
            for variable in loss_scale.state.values():
                stock.track_variable(variable)

    def _pairs_to_apply(self, grads_and_vars: Any) -> list[tuple[Any, Any]]:
        """Leaves out variables without a gradient, as TensorFlow since 2.5 does."""
        return stock.without_empty_gradients(grads_and_vars)

    def _step_counter(self) -> Any:
        """The variable that counts all steps, skipped ones too."""
        return self._optimizer.iterations

    @property
    def initial_scale(self) -> float | None:
        """The first value of a dynamic loss scale, the value of a fixed one."""
        return initial_scale_of(self._loss_scale)

    @property
    def dynamic_growth_steps(self) -> int | None:
        """Good steps in a row after which the loss scale doubles; `None` if fixed."""
        if isinstance(self._loss_scale, core.DynamicLossScale):
            return self._loss_scale.increment_period
        return None

    @property
    def inner_optimizer(self) -> Any:
        """The wrapped optimizer."""
        return self._optimizer

    @core.as_written
    def get_scaled_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale.

        Args:
            loss: A floating-point tensor of any shape, or a callable that gives one.

        Returns:
            The scaled loss, in the loss's dtype; a callable for a callable, which reads the loss
            scale each time it is called.
        """
        self.__dict__["_loss_has_been_scaled"] = True
        if callable(loss):
            return core.as_written(lambda: self._scaled(loss(), "get_scaled_loss"))
        return self._scaled(loss, "get_scaled_loss")

    def _multiply(self, loss: Any, method: str) -> Any:
        del method
        return core.scale_loss(loss, self._loss_scale)

    @core.as_written
    def get_unscaled_gradients(self, grads: Any) -> list[Any]:
        """Divides the gradients by the loss scale.

        Args:
            grads: Tensors, `tf.IndexedSlices` or `None`, of any floating-point dtype.

        Returns:
            A list as long as `grads`, each of its own dtype and kind; `None` stays `None`.
        """
        self.__dict__["_gradients_have_been_unscaled"] = True
        return core.unscale_gradients(grads, self._loss_scale())

    def _check_before_applying(self) -> None:
        """Says what is wrong with applying gradients here and now.

        The strategy may be another one than when the optimizer was made.
        """
        check_in_replica_context("apply_gradients")
        check_strategy()
        # What should come before, as in tf-keras and TensorFlow 2.10; not in 2.5.
        if self._loss_has_been_scaled and self._gradients_have_been_unscaled:
            return
        called = {
            "get_scaled_loss": self._loss_has_been_scaled,
            "get_unscaled_gradients": self._gradients_have_been_unscaled,
        }
        tf.get_logger().warning(
            "You forgot to call %s before LossScaleOptimizer.apply_gradients(). The model will "
            "likely train worse. Call each exactly once a step, for example:%s",
            " and ".join(f"LossScaleOptimizer.{name}()" for name in called if not called[name]),
            _EXAMPLE,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> LossScaleOptimizer:
        strategy = getattr(self._optimizer, "_distribution_strategy", None)
        if strategy is not None:
            # There is one default strategy, and nobody may make another.
            memo[id(strategy)] = strategy
        copied: LossScaleOptimizer = object.__new__(type(self))
        memo[id(self)] = copied
        for name, value in self.__dict__.items():
            copied.__dict__[name] = copy.deepcopy(value, memo)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        inner_optimizer, loss_scale = self.inner_optimizer, self._loss_scale
        config = self.get_config()
        key = "inner_optimizer" if "inner_optimizer" in config else "optimizer"
        del config[key]
        if "loss_scale" in config:
            # Itself, for a config names its class only, and the class may be of the user's own.
            config["loss_scale"] = loss_scale
        state = {name: _value(variable) for name, variable in loss_scale.state.items()}
        weights = self.__dict__.get(WEIGHTS) or [_value(weight) for weight in self.weights]
        inner = key, type(inner_optimizer), inner_optimizer.get_config()
        return _unpickled, (declared(type(self)), inner, config, state, weights)

    def __copy__(self) -> LossScaleOptimizer:
        copied: LossScaleOptimizer = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def _inner_config(self) -> Any:
        return tf_keras.optimizers.serialize(self._optimizer)

    @classmethod
    def _make_inner(cls, stored: dict[str, Any], custom_objects: Any) -> Any:
        return tf_keras.optimizers.deserialize(
            stored,
            custom_objects=custom_objects,
            use_legacy_optimizer=issubclass(cls, stock.OptimizerV2),
            use_legacy_format="module" not in stored,
        )
