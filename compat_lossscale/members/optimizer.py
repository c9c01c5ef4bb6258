# SPDX-License-Identifier: Apache-2.0
"""The members of the optimizers of TensorFlow 2.0 to 2.4, whichever Keras they are for.

`CountsSkippedSteps` is what every optimizer of this package tells of its skipped steps.
"""

from __future__ import annotations

import atexit
import copy
import weakref
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import tensorflow as tf

from compat_lossscale import core
from compat_lossscale.core import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.errors import (
    AlreadyWrappedError,
    InexpressibleLossScaleError,
    LossScaleArgumentError,
    LossScaleStuckError,
    NotCountedError,
    UnscalableError,
)
from compat_lossscale.members.guards import AT_FLOOR, warn_that_it_is_stuck
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


class CountsSkippedSteps:
    """Adds to an optimizer with a `_loss_scale` what it tells of skipped steps."""

    _loss_scale: LossScale
    _step_log: StepLog | None = None
    _step_counter: Callable[[], Any] | None = None
    """Gives the variable that counts applied steps, if there is one."""
    _counts_skipped_too = True
    """Whether it is to count skipped steps as well."""

    def _start_counting(self) -> None:
        if type(self._loss_scale) is FixedLossScale:
            return
        # A Saver of TensorFlow 1 would save its variables with the model, and miss them in the
        # model's older checkpoints.
        is_possible = tf.compat.v1.executing_eagerly_outside_functions()
        log = StepLog(self._step_counter, self._stated_rule) if is_possible else None
        self.__dict__["_step_log"] = log

    @property
    def loss_scale_rule(self) -> LossScaleRule | None:
        """The rule by which a dynamic loss scale moves. To change it, assign another one.

        It can change while the optimizer trains if the optimizer was made with `rule=` and a rule
        that differs from TensorFlow's by more than the growth steps and one factor. Functions that
        are traced already take the new numbers. It is `None` for a fixed loss scale, for a user's
        own, and for numbers that no rule has, such as a multiplier of 1.

        Raises:
            LossScaleArgumentError: It cannot change. The message says why.
        """
        loss_scale = self._loss_scale
        return loss_scale.rule if core.moves_by_the_rule(loss_scale) else None

    @loss_scale_rule.setter
    def loss_scale_rule(self, rule: LossScaleRule) -> None:
        loss_scale = self._loss_scale
        if not core.moves_by_the_rule(loss_scale):
            raise LossScaleArgumentError(
                "This optimizer's loss scale has no rule, because it is fixed or of a class of "
                "your own. Make a new optimizer with a dynamic loss scale and rule=."
            )
        loss_scale.rule = rule

    def _fixed_scale(self) -> float | None:
        """The loss scale if it is fixed, and `None` otherwise."""
        loss_scale = self._loss_scale
        return loss_scale._loss_scale_value if type(loss_scale) is FixedLossScale else None

    def _settings(self) -> core.RuleSettings | None:
        """The settings of a rule that was stated."""
        loss_scale = self._loss_scale
        return loss_scale.settings if isinstance(loss_scale, DynamicLossScale) else None

    def _stated_rule(self) -> LossScaleRule | None:
        settings = self._settings()
        return None if settings is None else settings.rule

    def _note_applied(self) -> Any:
        return None if self._step_log is None else self._step_log.note_applied()

    def _count_skipped(self, stuck: Any) -> Any:
        counted = None
        if self._step_counter is not None:
            with tf.init_scope():
                counter = self._step_counter()  # May make the variable, which a branch cannot.
            if self._counts_skipped_too:
                counted = counter.assign_add(1, read_value=False)
        if self._step_log is None:
            # In a graph of TensorFlow 1, where nothing else can raise.
            rule = self._stated_rule()
            if rule is None or rule.on_floor != "raise":
                return counted, None
            return counted, tf.debugging.Assert(tf.logical_not(stuck), [AT_FLOOR])
        noted = self._step_log.note_skipped(stuck)
        self._step_log.warn_if_stuck(again=True)
        settings = self._settings()
        if settings is None or tf.executing_eagerly():
            return counted, noted
        # What XLA compiles ignores it. Then the error comes when somebody looks.
        at_floor = tf.cast(self._step_log.notes[2], tf.float64)
        passes = tf.less(at_floor, settings.floor_steps_to_raise)
        return counted, noted, tf.debugging.Assert(passes, [AT_FLOOR])

    @property
    def skipped_steps(self) -> tf.Tensor:
        """Steps that this optimizer skipped since it was made, an int64 scalar tensor.

        Checkpoints do not have it, and a restored optimizer starts from 0. With a fixed loss scale
        no step is skipped.

        Raises:
            NotCountedError: The optimizer was made in a graph of TensorFlow 1.
        """
        log = self._log_if_dynamic()
        return tf.constant(0, tf.int64) if log is None else log.skipped

    @property
    def last_step_skipped(self) -> tf.Tensor:
        """Whether the latest step was skipped, a bool scalar tensor.

        Checkpoints do not have it. An optimizer that went on after a skipped step, and is then
        restored to the `iterations` of that step, says yes until its next step.

        Raises:
            NotCountedError: The optimizer was made in a graph of TensorFlow 1.
        """
        log = self._log_if_dynamic()
        return tf.constant(False) if log is None else log.last_skipped

    @property
    def _has_said_it_is_stuck(self) -> bool:
        """Whether it warned that its loss scale has to move and cannot; asked for in eager mode."""
        return self._step_log is not None and self._step_log.has_warned

    def _log_if_dynamic(self) -> StepLog | None:
        is_fixed = type(self._loss_scale) is FixedLossScale
        if self._step_log is None and not is_fixed:
            raise NotCountedError(
                "Skipped steps are counted in eager mode and in tf.function. This optimizer was "
                "made in a graph of TensorFlow 1, whose Saver would save the counters with your "
                "model. Look at the loss scale instead: it shrinks when a step is skipped."
            )
        if self._step_log is not None:
            self._step_log.warn_if_stuck()
        return self._step_log

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = super()._trackable_children(save_type, **kwargs)  # type: ignore[misc]  # it is mixed into what has one
        if save_type == "savedmodel" and self._step_log is not None:
            # A SavedModel refuses functions whose variables it does not have.
            children = {**children, "step_log": self._step_log.notes}
            settings = self._settings()
            if settings is not None:
                children["rule_settings"] = settings.variable
        return children


class StepLog:
    """What an optimizer remembers of its steps beside the loss scale.

    It is no part of a checkpoint: none of the original classes had it.

    Args:
        counter: Gives the variable that counts applied steps, and possibly skipped ones too, if
            there is one: an applied step then needs no note. It may have to make the variable.
        rule: Gives the loss scale's rule, if one was stated. It says what happens at the floor.

    Attributes:
        notes: An int64 variable: how many steps were skipped; which step the latest of them was, by
            the counter, or whether the latest step was; how many were skipped at a loss scale that
            is stuck. One variable, as a function takes time for each one that it uses.
    """

    def __init__(
        self,
        counter: Callable[[], Any] | None = None,
        rule: Callable[[], LossScaleRule | None] = lambda: None,
    ) -> None:
        self._counter = counter
        self._rule = rule
        self.has_warned = False
        self.notes = tf.Variable(
            [0, 0, 0],
            dtype=tf.int64,
            trainable=False,
            synchronization=tf.VariableSynchronization.AUTO,
            aggregation=tf.VariableAggregation.NONE,
        )
        _logs.add(self)

    @property
    def skipped(self) -> tf.Tensor:
        """How many steps were skipped, an int64 scalar tensor."""
        return tf.convert_to_tensor(self.notes)[0]

    @property
    def last_skipped(self) -> tf.Tensor:
        """Whether the latest step was skipped, a bool scalar tensor."""
        skipped, last = self.notes[0], self.notes[1]
        return tf.logical_and(skipped > 0, tf.equal(last, self._steps()))

    def _steps(self) -> Any:
        return 1 if self._counter is None else tf.cast(self._counter(), tf.int64)

    def note_applied(self) -> Any:
        """Notes that a step was applied."""
        if self._counter is not None:
            return None
        return self.notes.assign(self.notes * [1, 0, 1], read_value=False)

    def note_skipped(self, stuck: tf.Tensor | None = None) -> Any:
        """Notes that a step was skipped, and whether at a loss scale that is stuck.

        Call it when the counter has counted the step.
        """
        at_floor = 0 if stuck is None else tf.cast(stuck, tf.int64)
        kept = self.notes * [1, 0, 1]
        return self.notes.assign(tf.add(kept, [1, self._steps(), at_floor]), read_value=False)

    def warn_if_stuck(self, *, may_raise: bool = True, again: bool = False) -> None:
        """Warns or raises, as the rule says, if steps were skipped at the floor; in eager mode.

        Without a rule, it warns of the first. A function has no way to warn: what XLA compiles
        cannot print. Without `may_raise`, it warns where the rule says to raise. With `again`, it
        raises after the first time too.

        Raises:
            LossScaleStuckError: The rule says so.
        """
        rule = self._rule() or LossScaleRule()
        raises = may_raise and rule.on_floor == "raise"
        if self.has_warned and not (raises and again):
            return
        if rule.on_floor == "ignore" or not tf.executing_eagerly():
            return
        if int(self.notes[2]) < rule.floor_steps:
            return
        self.has_warned = True
        if raises:
            raise LossScaleStuckError(AT_FLOOR)
        warn_that_it_is_stuck(rule.min_scale)


_logs: weakref.WeakSet[StepLog] = weakref.WeakSet()


@atexit.register
def _warn_at_exit() -> None:
    """Warns of loss scales that got stuck within functions, and that nobody has looked at since."""
    for log in _logs:
        log.warn_if_stuck(may_raise=False)


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
    if core.supports_strategy():
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
    """Refuses to apply gradients where they are those of all replicas."""
    if tf.distribute.in_cross_replica_context():
        raise ValueError(
            f"{method}() must be called in a replica context: from a function that strategy.run() "
            "calls."
        )
