# SPDX-License-Identifier: Apache-2.0
"""Loss scaling for optimizers of `tf.compat.v1.train`, and the graph rewrite. No Keras."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from compat_lossscale import core
from compat_lossscale.core import native
from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.members.guards import GuardsScaling
from compat_lossscale.members.loss_scales import LossScaleConfigs, as_loss_scale
from compat_lossscale.members.optimizer import CountsSkippedSteps, check_in_replica_context
from compat_lossscale.spec import LossScaleRule, LossScaleSpec


class MixedPrecisionLossScaleOptimizer(
    CountsSkippedSteps, GuardsScaling, native.MixedPrecisionLossScaleOptimizer
):
    """Wraps an optimizer of `tf.compat.v1.train` with loss scaling.

    Used like any optimizer of TensorFlow 1: `minimize`, or `compute_gradients` and
    `apply_gradients`; in a session, a `MonitoredTrainingSession`, or eagerly. With a dynamic loss
    scale, a step with a non-finite gradient changes neither variables nor `global_step`.

    Source: `tf.train.experimental.MixedPrecisionLossScaleOptimizer` of TensorFlow 1.14 to 2.4.

    Args:
        opt: The optimizer to wrap.
        loss_scale: `"dynamic"`, a Python int or float of at least 1, or a LossScale, whose state is
            then shared with the caller.
        rule: The rule by which a `"dynamic"` scale moves. TensorFlow has no such argument.

    Raises:
        ValueError: An argument is not of these kinds.
    """

    def __init__(self, opt: Any, loss_scale: Any, *, rule: LossScaleRule | None = None) -> None:
        if not isinstance(opt, tf.compat.v1.train.Optimizer):
            raise LossScaleArgumentError(
                f'"opt" must be an instance of Optimizer, but got: {type(opt)}. Optimizer is '
                "tf.compat.v1.train.Optimizer; a Keras optimizer is wrapped by "
                "compat_lossscale.LossScaleOptimizer."
            )
        super().__init__(opt, as_loss_scale(loss_scale, rule))
        self._start_counting()

    def _scale_loss(self, loss: Any) -> Any:
        if callable(loss):
            return core.as_written(lambda: self._scaled(loss(), "compute_gradients"))
        return self._scaled(loss, "compute_gradients")

    def _multiply(self, loss: Any, method: str) -> Any:
        del method
        return core.scale_loss(loss, self._loss_scale)

    def _unscale_grads(self, grads: Any) -> list[Any]:
        return core.unscale_gradients(grads, self._loss_scale())

    @core.as_written
    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Applies the gradients if they are finite and updates the loss scale.

        Args:
            grads_and_vars: Pairs of an unscaled gradient and a variable, from `compute_gradients`.
            global_step: A variable to count applied steps in.
            name: Name of the operation.

        Returns:
            An operation in a graph, of the given name or else that of the inner optimizer; `None`
            in eager mode.

        Raises:
            ValueError: Called in a cross-replica context.
        """
        check_in_replica_context("apply_gradients")
        inner_optimizer = self._optimizer
        if not isinstance(self._loss_scale, core.DynamicLossScale):
            # Whatever is not a DynamicLossScale was never asked to update, in any version.
            return inner_optimizer.apply_gradients(grads_and_vars, global_step, name)
        gradients, variables = core.unzip(grads_and_vars)
        name = self.get_name() if name is None else name
        inner_name = f"{name}-wrapped"  # One object for all replicas, or a strategy packs it.
        done = core.apply_or_skip(
            self._loss_scale,
            gradients,
            apply=lambda gradients: inner_optimizer.apply_gradients(
                list(zip(gradients, variables, strict=True)), global_step, inner_name
            ),
            applied=self._note_applied,
            skipped=self._count_skipped,
        )
        if tf.executing_eagerly():
            return None
        # Programs fetch it by name, so there is one for all replicas.
        return tf.distribute.get_replica_context().merge_call(
            lambda strategy, done: tf.group(*strategy.experimental_local_results(done), name=name),
            args=(done,),
        )


@dataclasses.dataclass(frozen=True)
class RewritableKeras:
    """A Keras whose optimizers the rewrite wraps.

    Attributes:
        optimizers: The base classes of its optimizers.
        wrappers: The classes of its optimizers that have loss scaling already.
        wrap: Its experimental LossScaleOptimizer.
        configs: Reads a loss scale that is given as its config.
        global_policy: Returns the dtype policy of its layers.
    """

    optimizers: tuple[type, ...]
    wrappers: tuple[type, ...]
    wrap: Callable[[Any, Any], Any]
    configs: LossScaleConfigs
    global_policy: Callable[[], Any]


KERASES: list[RewritableKeras] = []
"""Those that are in use. Each room with optimizers for one adds its own."""


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Turns on TensorFlow's automatic mixed precision and wraps an optimizer with loss scaling.

    Source: `tf.train.experimental.enable_mixed_precision_graph_rewrite` of TensorFlow 1.14 to 2.4.

    Args:
        opt: An optimizer of `tf.compat.v1.train` or of Keras; or another one, for which TensorFlow
            has a wrapper registered.
        loss_scale: What the wrapper takes as its `loss_scale`.

    Returns:
        A `MixedPrecisionLossScaleOptimizer`, an experimental `LossScaleOptimizer`, or the
        registered wrapper, around `opt`.

    Raises:
        ValueError: `opt` is no optimizer or already has loss scaling, or the global Keras policy
            is a mixed one; the rewrite is then left as it was.
    """
    for policy in (keras.global_policy() for keras in KERASES):
        if policy.compute_dtype != policy.variable_dtype:
            raise ValueError(
                "The mixed precision graph rewrite cannot be enabled, because the global Keras "
                "dtype Policy has been set to a mixed precision policy: "
                "tf.keras.mixed_precision.experimental.set_policy or "
                f"tf.keras.mixed_precision.set_global_policy has set {policy.name!r}. "
                "Use that or enable_mixed_precision_graph_rewrite, not both."
            )
    wrapped = (native.MixedPrecisionLossScaleOptimizer, *(w for k in KERASES for w in k.wrappers))
    if isinstance(opt, wrapped):
        raise ValueError(
            f'"opt" must not already be an instance of a {type(opt).__name__}: '
            "enable_mixed_precision_graph_rewrite wraps the optimizer itself."
        )
    keras = next((one for one in KERASES if isinstance(opt, one.optimizers)), None)
    wrapper: Callable[[Any, Any], Any]
    if isinstance(opt, tf.compat.v1.train.Optimizer):
        wrapper = MixedPrecisionLossScaleOptimizer
    elif keras is not None:
        wrapper = keras.wrap
        if isinstance(loss_scale, Mapping):
            loss_scale = keras.configs.deserialize(loss_scale)
    else:
        # TensorFlow knows the wrappers that others have registered for optimizers of their own.
        return native.enable_mixed_precision_graph_rewrite(opt, loss_scale)
    if not isinstance(loss_scale, native.LossScale):
        # Refused, if it has to be, before anything is switched.
        LossScaleSpec.from_argument(loss_scale)
    options = tf.config.optimizer.get_experimental_options()
    was_enabled = options.get("auto_mixed_precision", False)
    # TensorFlow's function both switches and wraps. It is given an optimizer nobody uses, with a
    # scale that needs no variable: the wrapper that counts is made below.
    native.enable_mixed_precision_graph_rewrite(
        tf.compat.v1.train.GradientDescentOptimizer(0.0), loss_scale=1
    )
    try:
        return wrapper(opt, loss_scale)
    except Exception:
        if not was_enabled:
            native.disable_mixed_precision_graph_rewrite()
        raise


def disable_mixed_precision_graph_rewrite() -> None:
    """Turns TensorFlow's automatic mixed precision off again. Wrapped optimizers stay wrapped.

    Source: `tf.train.experimental.disable_mixed_precision_graph_rewrite` of TensorFlow 1.14 to 2.4.
    """
    native.disable_mixed_precision_graph_rewrite()
