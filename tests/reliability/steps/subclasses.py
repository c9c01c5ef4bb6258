# SPDX-License-Identifier: Apache-2.0
"""Users' subclasses of Keras' optimizers, which keep or change the gradients that they are given.

Each is a mixin in front of an optimizer's class; `subclass` joins the two. Both families call what
changes a gradient by one name, which `New` and `Legacy` see to.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class New:
    """A subclass of tf-keras' new optimizers, with one more variable for each that is trained."""

    def build(self, var_list: Any) -> None:
        if not getattr(self, "_built", False):
            self.kept = [
                self.add_variable_from_reference(variable, "kept") for variable in var_list
            ]
        super().build(var_list)

    def update_step(self, gradient: Any, variable: Any) -> Any:
        kept = self.kept[self._index_dict[self._var_key(variable)]]
        return super().update_step(self.changed(gradient, kept), variable)

    def changed(self, gradient: Any, kept: Any) -> Any:
        return gradient


class Legacy:
    """A subclass of OptimizerV2, with one more slot for each variable that is trained."""

    def _create_slots(self, var_list: Any) -> None:
        super()._create_slots(var_list)
        for variable in var_list:
            self.add_slot(variable, "kept")

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        changed = self.changed(grad, self.get_slot(var, "kept"))
        return super()._resource_apply_dense(changed, var, apply_state)

    def changed(self, gradient: Any, kept: Any) -> Any:
        return gradient


def _dense(gradient: Any) -> Any:
    return tf.convert_to_tensor(gradient)


class KeepsGradient:
    def changed(self, gradient: Any, kept: Any) -> Any:
        with tf.control_dependencies([kept.assign(_dense(gradient))]):
            return tf.identity(gradient) if tf.is_tensor(gradient) else gradient


class KeepsNegative:
    def changed(self, gradient: Any, kept: Any) -> Any:
        with tf.control_dependencies([kept.assign(-_dense(gradient))]):
            return tf.identity(gradient) if tf.is_tensor(gradient) else gradient


class KeepsSum:
    def changed(self, gradient: Any, kept: Any) -> Any:
        return kept.assign_add(_dense(gradient)) + 0


class KeepsMean:
    def changed(self, gradient: Any, kept: Any) -> Any:
        mean = kept.assign(kept * tf.cast(0.9, kept.dtype) + _dense(gradient) * _tenth(kept))
        return _dense(gradient) - tf.convert_to_tensor(mean)


def _tenth(kept: Any) -> Any:
    return tf.cast(0.1, kept.dtype)


class Clips:
    def changed(self, gradient: Any, kept: Any) -> Any:
        return tf.clip_by_norm(_dense(gradient), 0.5)


class Multiplies:
    def changed(self, gradient: Any, kept: Any) -> Any:
        return _dense(gradient) * tf.cast(0.3, kept.dtype)


class Negates:
    def changed(self, gradient: Any, kept: Any) -> Any:
        return -_dense(gradient)


class Squares:
    def changed(self, gradient: Any, kept: Any) -> Any:
        return tf.square(_dense(gradient))


class AddsNoise:
    def changed(self, gradient: Any, kept: Any) -> Any:
        dense = _dense(gradient)
        noise = tf.random.stateless_normal(tf.shape(dense), [1, 2])
        return dense + tf.cast(noise, dense.dtype)


class Decays:
    """Adds the variable's own kept value: a regularizer of the user's."""

    def changed(self, gradient: Any, kept: Any) -> Any:
        return tf.add_n([_dense(gradient), kept + tf.cast(0.01, kept.dtype)])


class _OwnRule:
    """Updates variables itself, whatever the optimizer's class does."""

    def update_step(self, gradient: Any, variable: Any) -> Any:
        kept = self.kept[self._index_dict[self._var_key(variable)]]
        rate = tf.cast(self.learning_rate, variable.dtype)
        return self.update(_dense(gradient), variable, kept, rate)

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        rate = tf.cast(self._get_hyper("learning_rate"), var.dtype)
        return self.update(grad, var, self.get_slot(var, "kept"), rate)


class AppliesNegative(_OwnRule):
    def update(self, gradient: Any, variable: Any, kept: Any, rate: Any) -> Any:
        negative = -gradient
        return tf.group(kept.assign(negative), variable.assign_add(negative * rate))


class Remembers(_OwnRule):
    """Lets the step read what was applied, where it is not in a branch of the loss scale's."""

    def update(self, gradient: Any, variable: Any, kept: Any, rate: Any) -> Any:
        negative = -gradient
        self.remembered = [*getattr(self, "remembered", []), negative]
        return variable.assign_add(negative * rate)


class AppliesMomentum(_OwnRule):
    def update(self, gradient: Any, variable: Any, kept: Any, rate: Any) -> Any:
        moved = kept * tf.cast(0.5, kept.dtype) - gradient * rate
        return tf.group(kept.assign(moved), variable.assign_add(moved))


class AppliesSign(_OwnRule):
    def update(self, gradient: Any, variable: Any, kept: Any, rate: Any) -> Any:
        step = gradient / (tf.abs(gradient) + tf.cast(1e-6, kept.dtype)) * rate
        return tf.group(kept.assign_add(tf.square(step)), variable.assign_sub(step))


class DropsSecond:
    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        return super().apply_gradients(list(grads_and_vars)[::2], *args, **kwargs)


class Reverses:
    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        return super().apply_gradients(list(grads_and_vars)[::-1], *args, **kwargs)


class Doubles:
    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = [(None if g is None else _dense(g) * 2, v) for g, v in grads_and_vars]
        return super().apply_gradients(pairs, *args, **kwargs)


class ClipsAll:
    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        gradients, variables = zip(*grads_and_vars, strict=True)
        clipped, _ = tf.clip_by_global_norm(gradients, 1.0)
        return super().apply_gradients(list(zip(clipped, variables, strict=True)), *args, **kwargs)


class AppliesTwice:
    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        super().apply_gradients(pairs, *args, **kwargs)
        return super().apply_gradients(pairs, *args, **kwargs)


class TakesNoName:
    def apply_gradients(self, grads_and_vars: Any, skip_gradients_aggregation: bool = False) -> Any:
        return super().apply_gradients(
            grads_and_vars, skip_gradients_aggregation=skip_gradients_aggregation
        )


UPDATES = (
    KeepsGradient,
    KeepsNegative,
    KeepsSum,
    KeepsMean,
    Clips,
    Multiplies,
    Negates,
    Squares,
    AddsNoise,
    Decays,
    AppliesNegative,
    Remembers,
    AppliesMomentum,
    AppliesSign,
)
CALLS = (DropsSecond, Reverses, Doubles, ClipsAll, AppliesTwice, TakesNoName)
NAMES = tuple(one.__name__ for one in (*UPDATES, *CALLS))


def subclass(base: Any, name: str) -> Any:
    """Makes a subclass of an optimizer's class, of either family, by a name in `NAMES`."""
    mixin = globals()[name]
    if mixin in CALLS:
        return type(name, (mixin, base), {})
    return type(name, (mixin, New if hasattr(base, "update_step") else Legacy, base), {})
