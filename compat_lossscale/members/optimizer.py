# SPDX-License-Identifier: Apache-2.0
"""The members of the optimizers of TensorFlow 2.0 to 2.4, whichever Keras they are for."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import tensorflow as tf

from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale, supports_strategy
from compat_lossscale.errors import (
    AlreadyWrappedError,
    InexpressibleLossScaleError,
    UnscalableError,
)
from compat_lossscale.members.counting import CountsSkippedSteps
from compat_lossscale.members.loss_scales import (
    ForeignLossScale,
    LossScaleConfigs,
    as_loss_scale,
    from_spec,
    opt_means_optimizer,
)
from compat_lossscale.spec import (
    DEFAULT_MULTIPLIER,
    LossScaleRule,
    LossScaleSpec,
    inner_in,
    others_in,
)

_Optimizer = TypeVar("_Optimizer", bound="OldMembers")
_Experimental = TypeVar("_Experimental", bound="ExperimentalMembers")


class OldMembers(CountsSkippedSteps):
    """The constructor and the members of TensorFlow 2.4's `LossScaleOptimizer`.

    To stand in front of a front end, which defines what is only annotated here.

    Source: `tf.keras.mixed_precision.LossScaleOptimizer` of TensorFlow 2.4.
    """

    _configs: ClassVar[LossScaleConfigs]
    _not_arguments: ClassVar[tuple[str, ...]] = ()
    """Keys of configs that the constructor does not take."""
    _wrap: Callable[..., None]
    """Wraps an optimizer, given what makes the loss scale and the argument's name. Takes the
    loss scale by `_attach`."""
    _attach: Callable[[LossScale], None]
    """Takes a loss scale, and lets checkpoints find it if it has state."""
    _inner_config: Callable[[], Any]
    """Returns the config of the wrapped optimizer."""

    def __init__(
        self,
        inner_optimizer: Any,
        dynamic: bool = True,
        initial_scale: float | None = None,
        dynamic_growth_steps: int | None = None,
        *,
        rule: LossScaleRule | None = None,
    ) -> None:
        def make_loss_scale() -> LossScale:
            return from_spec(
                LossScaleSpec.from_constructor(dynamic, initial_scale, dynamic_growth_steps, rule)
            )

        self._wrap(inner_optimizer, make_loss_scale)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_loss_scale":
            # Programs assigned another one: with TensorFlow 2.4, one that is no LossScale.
            if hasattr(value, "update") and callable(value) and not hasattr(value, "get_config"):
                value = ForeignLossScale(value)
            self._attach(as_loss_scale(value, below_one=True))
        else:
            super().__setattr__(name, value)

    @property
    def dynamic(self) -> bool:
        """Whether the loss scale can change."""
        return not isinstance(self._loss_scale, FixedLossScale)

    @property
    def loss_scale(self) -> Any:
        """The current loss scale, a float32 scalar tensor."""
        return tf.convert_to_tensor(self._loss_scale())

    @property
    def dynamic_counter(self) -> tf.Variable | None:
        """Good steps since the loss scale last changed, an int64 variable; `None` if fixed."""
        loss_scale = self._loss_scale
        return loss_scale.good_steps if isinstance(loss_scale, DynamicLossScale) else None

    def get_config(self) -> dict[str, Any]:
        """Returns what `from_config` needs, in the form of TensorFlow 2.4 to tf-keras 2.21.

        Where that form has no words for the loss scale (a multiplier other than 2, a user's own
        LossScale), it is in the form of TensorFlow 2.0 to 2.3. A rule has a key `rule`, which only
        this package reads.
        """
        return self._configs.of_optimizer(self._loss_scale, self._inner_config())

    @classmethod
    def from_config(
        cls: type[_Optimizer],
        config: Mapping[str, Any],
        custom_objects: Mapping[str, Any] | None = None,
    ) -> _Optimizer:
        """Makes an optimizer, in its initial state, from a config of any generation.

        Args:
            config: What `get_config` of this class, of Keras 3, of tf-keras, or of any TensorFlow
                from 2.0 to 2.15 returned, or its `inner_optimizer` alone, as in TensorFlow 2.4. It
                is not changed.
            custom_objects: Classes by the names under which the config has them.

        Returns:
            The optimizer.

        Raises:
            ConfigFormatError: `config` is no config of a loss-scale optimizer.
            InexpressibleLossScaleError: The loss scale's multiplier is not 2.
        """
        spec = LossScaleSpec.from_optimizer_config(config)
        if spec.dynamic and spec.rule is None and spec.multiplier != DEFAULT_MULTIPLIER:
            raise InexpressibleLossScaleError(
                # Programs and tests match on these words of TensorFlow 2.4 and later.
                "Cannot deserialize LossScaleOptimizer with a DynamicLossScale whose multiplier is "
                f"not 2. Got DynamicLossScale: DynamicLossScale({spec.initial_scale}, "
                f"{spec.growth_steps}, {spec.multiplier}). "
                "compat_lossscale.experimental.LossScaleOptimizer takes it."
            )
        inner_optimizer = cls._inner_from_config(config, custom_objects)
        return cls(inner_optimizer, **spec.to_own_arguments(), **cls._others_in(config))

    @classmethod
    def _make_inner(cls, stored: dict[str, Any], custom_objects: Any) -> Any:
        """Makes an optimizer to wrap from its config, which may be changed."""
        raise NotImplementedError

    @classmethod
    def _inner_from_config(cls, config: Mapping[str, Any], custom_objects: Any) -> Any:
        stored = inner_in(config)
        return cls._make_inner(stored, custom_objects) if isinstance(stored, dict) else stored

    @classmethod
    def _others_in(cls, config: Mapping[str, Any]) -> dict[str, Any]:
        """What a subclass put into its config for a constructor of its own."""
        others = others_in(config)
        return {key: value for key, value in others.items() if key not in cls._not_arguments}


class ExperimentalMembers(OldMembers):
    """The constructor and the members of the experimental class, whose loss scale is one argument.

    Source: `tf.keras.mixed_precision.experimental.LossScaleOptimizer` of TensorFlow 1.14 to 2.4.
    """

    @opt_means_optimizer
    def __init__(
        self, optimizer: Any, loss_scale: Any, *, rule: LossScaleRule | None = None
    ) -> None:
        def make_loss_scale() -> LossScale:
            return self._configs.interpret(loss_scale, rule, below_one=True)

        self._wrap(optimizer, make_loss_scale, argument="optimizer")

    @property
    def loss_scale(self) -> LossScale:
        """The live loss scale, an object to call and a float32 scalar tensor at once.

        On one of several replicas, a copy that shares its state.
        """
        if tf.distribute.get_strategy().num_replicas_in_sync > 1 and not (
            tf.distribute.in_cross_replica_context()
        ):
            # A strategy takes the same object on all replicas for one value, and sums it as such.
            return copy.copy(self._loss_scale)
        if isinstance(self._loss_scale, FixedLossScale):
            # Now, as 2.4 does: a Session may be asked for it when the graph is final.
            self._loss_scale.make_fetchable()
        return self._loss_scale

    @classmethod
    def from_config(
        cls: type[_Experimental],
        config: Mapping[str, Any],
        custom_objects: Mapping[str, Any] | None = None,
    ) -> _Experimental:
        """Makes an optimizer, in its initial state, from a config of any generation.

        Args:
            config: What `get_config` of this class, of Keras 3, of tf-keras, or of any TensorFlow
                from 2.0 to 2.15 returned. It is not changed. Its `loss_scale` may also be a
                LossScale.
            custom_objects: Classes by the names under which the config has them, users' own
                LossScale classes among them.

        Returns:
            The optimizer.

        Raises:
            ConfigFormatError: `config` is no config of a loss-scale optimizer.
        """
        inner_optimizer = cls._inner_from_config(config, custom_objects)
        loss_scale = cls._configs.stated_in(config, custom_objects)
        return cls(optimizer=inner_optimizer, loss_scale=loss_scale, **cls._others_in(config))


def wrapped_already(optimizer: Any) -> AlreadyWrappedError:
    """Returns the error for an optimizer that has a wrapper."""
    return AlreadyWrappedError(
        f'"inner_optimizer" is already wrapped by a LossScaleOptimizer: {optimizer!r}. Use that '
        "one: if `compile` wrapped it, it is `model.optimizer`, so give that to the next "
        "`compile`. Or wrap a second optimizer, type(opt).from_config(opt.get_config()): two loss "
        "scales cannot share the slots and the step count of one."
    )


def check_has_tape(loss: Any, tape: Any) -> None:
    """Refuses a loss that cannot be scaled under its tape.

    Raises:
        UnscalableError: `loss` is no callable, and there is no tape. (It is a `TypeError`, as in
            TensorFlow 2.0 to 2.3, and a `ValueError`, as in later versions.)
    """
    if tape is None and not callable(loss):
        raise UnscalableError(
            "`tape` is required when the loss is a tensor: the tape under which it was computed. "
            "A callable loss needs none."
        )


def check_strategy() -> None:
    """Refuses strategies under which loss scaling would go wrong.

    Raises:
        ValueError: The current strategy is not supported; TPU strategies get an explanation of
            their own. Source: TensorFlow 2.2 and later.
    """
    if supports_strategy():
        return
    strategy = tf.distribute.get_strategy()
    if isinstance(strategy, tf.distribute.TPUStrategy):
        raise ValueError(
            "Loss scaling is not supported with TPUStrategy, and not needed: TPUs compute in "
            "bfloat16, which has float32's range. Remove the LossScaleOptimizer when you use TPUs."
        )
    raise ValueError(
        "Loss scaling is not supported with the tf.distribute.Strategy: "
        f"{type(strategy).__name__}. Try using a different Strategy, "
        "e.g. a MirroredStrategy."  # prose: keep (TensorFlow's words)
    )


def check_in_replica_context(method: str) -> None:
    """Refuses to apply gradients where they are those of all replicas.

    Raises:
        ValueError: In a cross-replica context.
    """
    if tf.distribute.in_cross_replica_context():
        raise ValueError(
            f"{method}() must be called in a replica context: from a function that strategy.run() "
            "calls."
        )
