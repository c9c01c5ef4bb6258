# SPDX-License-Identifier: Apache-2.0
"""`LossScaleOptimizer`, the front end for Keras 3's optimizers."""

from __future__ import annotations

import enum
import math
import types
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import keras
import numpy as np

from compat_lossscale.errors import (
    LossScaleArgumentError,
    LossScaleMisuseError,
    LossScaleMisuseWarning,
    UnscalableError,
)
from compat_lossscale.keras3 import arguments, private
from compat_lossscale.keras3.backends import Steps, uncompiled
from compat_lossscale.members.guards import (
    GuardsScaling,
    frames_to_the_program,
    warn_that_it_starts_again,
)
from compat_lossscale.spec import LossScaleRule, LossScaleSpec, check_fixed_value


class Protocol(enum.Enum):
    """A way to do a step in parts."""

    KERAS_3 = "scale_loss() and apply()"
    TENSORFLOW_2_4 = "get_scaled_loss(), get_unscaled_gradients() and apply_gradients()"


class ProtocolRecord:
    """What an optimizer's methods were called for since it last applied gradients.

    `function` gives the function that is being traced; `None` outside of one.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._seen: weakref.WeakKeyDictionary[Any, dict[Protocol, str]] = (
            weakref.WeakKeyDictionary()
        )
        self._latest: Protocol | None = None
        self._called: set[str] = set()
        self._has_warned = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)  # A copy begins with a step of its own.

    def note(self, protocol: Protocol, method: str) -> None:
        """Notes that a loss was scaled or gradients were unscaled, and by which method."""
        self._seen_here().setdefault(protocol, method)
        self._latest = protocol
        self._called.add(method)

    def _seen_here(self) -> dict[Protocol, str]:
        # Outside of functions, this object stands for one.
        return self._seen.setdefault(self._function() or self, {})

    def gradients_are_scaled(self, method: str, *, otherwise: Protocol) -> bool:
        """Says whether the gradients that `method` applies now are scaled; the step ends here.

        `otherwise` is the protocol of that method, for an optimizer that was never asked to scale
        or unscale anything.

        Raises:
            LossScaleMisuseError: The step has calls of both protocols.
        """
        seen = dict(self._seen_here())
        self._seen_here().clear()
        if len(seen) > 1:
            raise LossScaleMisuseError(
                f"{seen[Protocol.KERAS_3]}() and {seen[Protocol.TENSORFLOW_2_4]}() were called in "
                f"one step, so {method}() cannot know whether its gradients are scaled. Use one of "
                f"{Protocol.KERAS_3.value}, which takes scaled gradients; or "
                f"{Protocol.TENSORFLOW_2_4.value}."
            )
        protocol = next(iter(seen), self._latest or otherwise)
        self._warn_of_what_is_missing(protocol, method)
        return protocol is Protocol.KERAS_3

    def _warn_of_what_is_missing(self, protocol: Protocol, method: str) -> None:
        if self._has_warned:
            return
        if protocol is Protocol.KERAS_3:
            missing = [] if self._latest else ["scale_loss"]
        else:
            needed = ("get_scaled_loss", "get_unscaled_gradients")
            missing = [name for name in needed if name not in self._called]
        if not missing:
            return
        self._has_warned = True
        called = " and ".join(f"LossScaleOptimizer.{name}()" for name in missing)
        effect = (
            "Gradients of a loss that is not scaled are divided by the loss scale all the same, so "
            "the model will hardly train."
            if protocol is Protocol.KERAS_3
            else "The model will likely train worse."
        )
        warnings.warn(
            f"You forgot to call {called} before LossScaleOptimizer.{method}(). {effect} A step "
            f"takes one of {Protocol.KERAS_3.value}; or {Protocol.TENSORFLOW_2_4.value}.",
            LossScaleMisuseWarning,
            stacklevel=frames_to_the_program(),
        )


class LossScaleOptimizer(
    Steps, GuardsScaling, keras.optimizers.LossScaleOptimizer, metaclass=private.NamedAsKeras
):
    """Wraps an optimizer of Keras 3 so that the loss is scaled and bad steps are skipped.

    `Model.fit` does everything. A loop of your own takes one of two protocols. That of Keras 3
    applies gradients that are still scaled::

        with tf.GradientTape() as tape:
            loss = opt.scale_loss(loss_fn())
        opt.apply(tape.gradient(loss, variables), variables)

    That of TensorFlow 2.4 applies gradients that you have unscaled, so that you can look at them or
    clip them in between::

        with tf.GradientTape() as tape:
            loss = opt.get_scaled_loss(loss_fn())
        gradients = opt.get_unscaled_gradients(tape.gradient(loss, variables))
        opt.apply_gradients(zip(gradients, variables))

    On JAX, use `stateless_scale_loss` and `stateless_apply` in a function that `jax.jit` compiles.

    The loss scale moves as in TensorFlow: it never falls below 1, and does not grow where it would
    be infinite. A step with a NaN or an infinity in a gradient, on any replica or worker, is
    skipped on all of them: it changes nothing but the loss scale. Files have the same variables as
    those of Keras' own class.

    Source: `keras.optimizers.LossScaleOptimizer`, and
    `tf.keras.mixed_precision.LossScaleOptimizer` of TensorFlow 2.4.

    Args:
        inner_optimizer: The optimizer to wrap, of `keras.optimizers`. Its `loss_scale_factor`, if
            it has one, is removed, with a warning.
        dynamic: Whether the loss scale follows the gradients or stays fixed.
        initial_scale: The first value of a dynamic scale (default 2 ** 15), or the fixed value
            (default the inner optimizer's `loss_scale_factor`).
        dynamic_growth_steps: Good steps in a row after which a dynamic scale doubles (default
            2000). Must be `None` for a fixed one, and with a rule.
        rule: The rule by which a dynamic scale moves; by default, TensorFlow's. If it tolerates bad
            steps, files have one more variable, which Keras' own class does not read.
        count_skipped_steps: Whether `iterations` counts skipped steps too, as in tf-keras.
            By default it does not, as in Keras 3.
        name: The optimizer's name.
        **kwargs: Other arguments of optimizers, which configs of older versions of Keras have.
            They must have their default values.

    Raises:
        LossScaleArgumentError: `inner_optimizer` is no optimizer of Keras 3 or has a wrapper
            already, `dynamic` is no bool, the arguments contradict each other, or there is one
            that the inner optimizer takes.
    """

    # Keras writes this into files. A Keras without this package then finds its own class, which has
    # the same variables; one with it finds this class, which is registered below.
    __module__ = "keras.optimizers"
    _home = f"{__name__}:LossScaleOptimizer"
    inner_optimizer: Any
    built: bool

    def __init__(
        self,
        inner_optimizer: Any,
        dynamic: bool = True,
        initial_scale: float | None = None,
        dynamic_growth_steps: int | None = None,
        *,
        rule: LossScaleRule | None = None,
        count_skipped_steps: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        arguments.check_wrappable(inner_optimizer)
        if dynamic is not False or initial_scale is not None:
            arguments.warn_of_dropped_factor(inner_optimizer, stacklevel=2)
        elif inner_optimizer.loss_scale_factor is None:
            raise LossScaleArgumentError(
                '"initial_scale" must be specified if "dynamic" is False: it is the fixed loss '
                "scale. Or leave out the wrapper, and set `loss_scale_factor` on the inner "
                "optimizer."
            )
        else:
            initial_scale = inner_optimizer.loss_scale_factor
        spec = LossScaleSpec.from_constructor(dynamic, initial_scale, dynamic_growth_steps, rule)
        if not spec.dynamic:
            check_fixed_value(spec.initial_scale)
        arguments.check_others(kwargs)
        self._set_up(inner_optimizer, spec, name=name, **kwargs)
        self.__dict__["_counts_skipped_too"] = bool(count_skipped_steps)

    def _set_up(self, inner_optimizer: Any, spec: LossScaleSpec | None, **kwargs: Any) -> None:
        """Does what Keras' own constructor does."""
        super().__init__(
            inner_optimizer,
            initial_scale=spec and spec.initial_scale,
            dynamic_growth_steps=spec and spec.growth_steps,
            **kwargs,
        )
        inner_optimizer.loss_scale_factor = None  # Keras does that only since 3.9
        # Past the optimizer's own attribute handling, which would put it into checkpoints.
        self.__dict__.update(_spec=spec, _protocols=ProtocolRecord(self._traced_function))

    def __reduce__(self) -> tuple[Any, ...]:
        unpickle, *arguments = super().__reduce__()
        if type(self).__module__ == LossScaleOptimizer.__module__:
            # Keras' own class unpickles by the registry, and pickle finds it by its name.
            unpickle = types.MethodType(unpickle.__func__, keras.optimizers.LossScaleOptimizer)
        return unpickle, *arguments

    def __repr__(self) -> str:
        return f"<compat_lossscale.keras3.{type(self).__name__} around {self.inner_optimizer!r}>"

    @property
    def dynamic(self) -> bool:
        """Whether the loss scale can change."""
        return bool(self._spec.dynamic)

    @property
    def dynamic_counter(self) -> Any:
        """The variable that counts good steps since the loss scale last changed; `None` if fixed.

        Before the optimizer is built it is `None` too.
        """
        return getattr(self, "step_counter", None) if self.dynamic else None

    @property
    def loss_scale(self) -> Any:
        """The current loss scale, a float32 scalar tensor."""
        return self._current_scale()

    @property
    def iterations(self) -> Any:
        """The steps that were applied; skipped ones too, with `count_skipped_steps`."""
        return self.inner_optimizer.iterations  # Keras' own class has another one up to 3.6

    @property
    def _optimizer(self) -> Any:
        """The wrapped optimizer, under the name that it had in TensorFlow 2."""
        return self.inner_optimizer

    def build(self, var_list: Sequence[Any]) -> None:
        """Makes the variables of this optimizer and of the inner one.

        Args:
            var_list: The variables to be trained.
        """
        self._make_scale_variables()
        there = len(self.inner_optimizer.variables)
        super().build(var_list)
        self._give_waiting_values(self.inner_optimizer.variables[there:])
        self.__dict__["_trained"] = list(var_list)
        if keras.backend.backend() == "tensorflow":
            # A checkpoint that was restored before gives variables their values when they are made.
            with self._outside_of_functions():
                self._restart_if_useless()

    def _give_waiting_values(self, made: Sequence[Any]) -> None:
        """Gives the inner optimizer's new variables the values that have waited for them."""
        waiting = self.__dict__.pop("_values_to_come", [])
        vars(self.inner_optimizer).pop("load_own_variables", None)
        if [value.shape for value in waiting] == [tuple(one.shape) for one in made]:
            for variable, value in zip(made, waiting, strict=True):
                variable.assign(value)
        elif waiting:
            warnings.warn(
                "This optimizer was loaded with the state of another set of variables: its slots, "
                f"{len(waiting)} in all, do not fit the variables that it is now built for, and "
                "start again.",
                stacklevel=3,
            )

    def load_own_variables(self, store: Any) -> None:
        """Sets the variables to the values of a file.

        Values that have no variable yet are kept until `build` has made it. Keras' own optimizers
        drop all of their state then, with a warning.

        Args:
            store: The values by their number, as Keras has them.
        """
        if not self.built:
            self._make_scale_variables()
        there = len(self.variables)
        if self.built or len(store.keys()) <= there:
            super().load_own_variables(store)
            self._restart_if_useless()
            return
        values = [np.array(store[str(number)]) for number in range(len(store.keys()))]
        # What an optimizer makes in build() comes after what it has from the start.
        for variable, value in zip(self.variables, values, strict=False):
            variable.assign(value)
        self._restart_if_useless()
        self.__dict__["_values_to_come"] = values[there:]
        # Keras gives the inner optimizer its variables a second time. It would warn.
        vars(self.inner_optimizer)["load_own_variables"] = lambda store: None

    def _restart_if_useless(self) -> None:
        """Starts the loss scale again, with a warning, if nothing can be trained with its value."""
        if self._fixed_scale() is not None or getattr(self, "dynamic_scale", None) is None:
            return
        scale = float(keras.ops.convert_to_numpy(self.dynamic_scale))
        if math.isfinite(scale) and scale > 0:
            return
        self._restart()
        warn_that_it_starts_again(scale, self.initial_scale)

    def _restart(self) -> None:
        """Gives the variables of the loss scale the values with which it starts."""
        self.dynamic_scale.assign(self.initial_scale)
        self.step_counter.assign(0)
        rule = self._stated_rule()
        if rule is not None and "hysteresis_left" in self.__dict__:
            self.__dict__["hysteresis_left"].assign(rule.hysteresis)

    def save_own_variables(self, store: Any) -> None:
        """Writes the variables to a file, with the values that wait for theirs.

        Args:
            store: Where to put the values, by their number.
        """
        super().save_own_variables(store)
        waiting = self.__dict__.get("_values_to_come", [])
        for number, value in enumerate(waiting, len(self.variables)):
            store[str(number)] = value

    def _make_scale_variables(self) -> None:
        """Makes the variables that Keras' own class has; they depend on no others."""
        if "dynamic_scale" not in self.__dict__:
            # In the order and under the names of Keras' own: files have them by number, and
            # checkpoints of TensorFlow by both.
            self.step_counter = private.add_scalar(self, "step_counter", "int", 0)
            self.dynamic_scale = private.add_scalar(
                self, "dynamic_scale", "float32", self.initial_scale
            )
            rule = self._spec.rule
            if rule is not None and rule.hysteresis > 1:
                self.hysteresis_left = private.add_scalar(
                    self, "hysteresis_left", "int", rule.hysteresis
                )

    def add_variable(self, *args: Any, name: str | None = None, **kwargs: Any) -> Any:
        """Makes a variable; or returns that of the same name, if this optimizer has made it."""
        if name is not None and name in self.__dict__:
            return self.__dict__[name]
        return super().add_variable(*args, name=name, **kwargs)

    @uncompiled
    def scale_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale, as Keras 3's protocol has it.

        Args:
            loss: A floating-point tensor of any shape.

        Returns:
            The scaled loss. A float16 loss becomes float32, in which the product is finite.
        """
        self._protocols.note(Protocol.KERAS_3, "scale_loss")
        return self._scaled(loss, "scale_loss")

    @uncompiled
    def get_scaled_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale, as TensorFlow 2.4's protocol has it.

        Args:
            loss: A floating-point tensor of any shape, or a callable that gives one.

        Returns:
            The scaled loss, in the loss's dtype; a callable for a callable, which reads the loss
            scale each time it is called.
        """
        self._protocols.note(Protocol.TENSORFLOW_2_4, "get_scaled_loss")
        if callable(loss):
            return lambda: self._scaled(loss(), "get_scaled_loss")
        return self._scaled(loss, "get_scaled_loss")

    def _multiply(self, loss: Any, method: str) -> Any:
        self._check_not_constant([loss], method)
        if method == "scale_loss":
            loss = keras.ops.convert_to_tensor(loss)
            # PyTorch would keep the dtype of a loss with elements.
            dtype = keras.backend.result_type(loss.dtype, "float32")
            return keras.ops.multiply(keras.ops.cast(loss, dtype), self._current_scale())
        loss = _as_tensor(loss)
        return loss * keras.ops.cast(self._current_scale(), loss.dtype)

    @uncompiled
    def get_unscaled_gradients(self, grads: Iterable[Any]) -> list[Any]:
        """Divides the gradients by the loss scale, as TensorFlow 2.4's protocol has it.

        Args:
            grads: Tensors or `None`, of any floating-point dtype; on TensorFlow,
                `tf.IndexedSlices` too.

        Returns:
            A list as long as `grads`, each of its own dtype and kind; `None` stays `None`.
        """
        self._protocols.note(Protocol.TENSORFLOW_2_4, "get_unscaled_gradients")
        gradients = list(grads)
        self._check_not_constant(gradients, "get_unscaled_gradients")
        variables = self._variables_of(gradients)
        divided = self._unscaled(gradients, variables, self._current_scale())
        return [_as(before, after) for before, after in zip(gradients, divided, strict=True)]

    def _unscaled(
        self, gradients: list[Any], variables: Sequence[Any], scale: Any, **options: Any
    ) -> list[Any]:
        """Divides gradients by the loss scale, but for those that are their variable's value."""
        kept = [private.takes_the_gradient_as_value(variable) for variable in variables]
        divided = self._unscale(
            [None if keep else one for one, keep in zip(gradients, kept, strict=True)],
            scale,
            **options,
        )
        return [
            old if keep else new for old, new, keep in zip(gradients, divided, kept, strict=True)
        ]

    def _variables_of(self, gradients: list[Any]) -> Sequence[Any]:
        """The variables of gradients that are given without any: those it was built for."""
        trained: Sequence[Any] = self.__dict__.get("_trained", ())
        return trained if len(trained) == len(gradients) else [None] * len(gradients)

    @uncompiled
    def apply(self, grads: Sequence[Any], trainable_variables: Any = None) -> None:
        """Applies gradients if they are finite, and moves the loss scale.

        Args:
            grads: The gradients, scaled unless `get_unscaled_gradients` was called in this step.
            trainable_variables: Their variables; by default those that the optimizer was built for.

        Raises:
            LossScaleMisuseError: The step has calls of both protocols.
            ValueError: There is no gradient, or the strategy is not supported.
        """
        gradients = list(grads)
        arguments.check_has_gradients(gradients, "apply")
        scaled = self._protocols.gradients_are_scaled("apply", otherwise=Protocol.KERAS_3)
        self._apply(gradients, trainable_variables, scaled)

    @uncompiled
    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]], **kwargs: Any) -> Any:
        """Applies gradients if they are finite, and moves the loss scale.

        Args:
            grads_and_vars: Pairs of a gradient and a variable. The gradients are scaled if
                `scale_loss` was called in this step, as `Model.fit` does, and unscaled otherwise,
                as in TensorFlow 2.4.
            **kwargs: `name`, which Keras 3 has no use for. `experimental_aggregate_gradients` and
                `skip_gradients_aggregation` may say no more than that gradients are summed over
                the replicas, which Keras 3 always does.

        Returns:
            `iterations`, as in Keras 3.

        Raises:
            LossScaleMisuseError: The step has calls of both protocols.
            ValueError: There is no gradient, the strategy is not supported, or gradients are not to
                be summed.
        """
        arguments.check_aggregation(**kwargs)
        pairs = list(grads_and_vars)
        arguments.check_has_gradients(pairs, "apply_gradients")
        grads, variables = [gradient for gradient, _ in pairs], [variable for _, variable in pairs]
        scaled = self._protocols.gradients_are_scaled(
            "apply_gradients", otherwise=Protocol.TENSORFLOW_2_4
        )
        self._apply(grads, variables, scaled)
        return self.iterations

    def _apply(self, gradients: list[Any], variables: Any, scaled: bool) -> None:
        if not self.built and variables:
            with self._outside_of_functions(), keras.name_scope(self.name, caller=self):
                self.build(list(variables))
        self._take_step(gradients, variables, scaled)

    def stateless_scale_loss(self, optimizer_variables: Any, loss: Any) -> Any:
        """Does what `scale_loss` does, by a value of the loss scale instead of its variable.

        In a function that `jax.jit` compiles, `scale_loss` takes the value that the variable has
        while the function is traced. This takes the one that goes into `stateless_apply`.

        Args:
            optimizer_variables: The values of `variables`, or these.
            loss: A floating-point tensor of any shape.

        Returns:
            The scaled loss; see `scale_loss`.

        Raises:
            ValueError: The optimizer is not built, there are more or fewer values than variables,
                or Keras' backend is TensorFlow.
        """
        with self._scope_of(optimizer_variables, "stateless_scale_loss"):
            return self.scale_loss(loss)

    def _scope_of(self, optimizer_variables: Any, method: str) -> Any:
        """A scope in which the variables have the values that were given to a method."""
        if keras.backend.backend() == "tensorflow":
            self.inner_optimizer.stateless_apply([], [], [])  # which says that it cannot
        if not self.built:
            raise ValueError(
                f"{method}() needs the optimizer's variables, and there are none yet. Call "
                "optimizer.build(trainable_variables) first."
            )
        # Keras' own class takes variables too.
        values = [keras.ops.convert_to_tensor(one) for one in optimizer_variables]
        if len(values) != len(self.variables):
            raise ValueError(
                f"{method}() needs a value for each of optimizer.variables, {len(self.variables)} "
                f"in all, but got {len(values)}."
            )
        return keras.StatelessScope(state_mapping=list(zip(self.variables, values, strict=True)))

    def stateless_apply(
        self, optimizer_variables: Any, grads: Any, trainable_variables: Any
    ) -> tuple[list[Any], list[Any]]:
        """Does what `apply` does, on values instead of variables.

        Args:
            optimizer_variables: The values of `variables`, or these.
            grads: The gradients, scaled unless `get_unscaled_gradients` was called in this step.
            trainable_variables: The values of the variables that the optimizer was built for, or
                these.

        Returns:
            The values of the trained variables and of `variables` after the step.

        Raises:
            LossScaleMisuseError: The step has calls of both protocols.
            ValueError: The optimizer is not built; it is built for variables, and there is no
                gradient; or Keras' backend is TensorFlow, where Keras has
                no such function.
        """
        scope = self._scope_of(optimizer_variables, "stateless_apply")
        gradients = list(grads)
        if self.__dict__.get("_trained"):
            arguments.check_has_gradients(gradients, "stateless_apply")
        elif not gradients:
            # No error: `fit` on JAX does it for a model whose layers are all frozen.
            warnings.warn(
                "stateless_apply() of an optimizer that was built for no variables: "
                f"{arguments.WHY_EMPTY}",
                LossScaleMisuseWarning,
                stacklevel=frames_to_the_program(),
            )
        scaled = self._protocols.gradients_are_scaled("stateless_apply", otherwise=Protocol.KERAS_3)
        # Keras' own class takes variables too.
        optimizer_variables, trainable_variables = (
            [keras.ops.convert_to_tensor(one) for one in values]
            for values in (optimizer_variables, trainable_variables)
        )
        with scope:
            after: tuple[list[Any], list[Any]] = self._step_on_values(
                optimizer_variables, gradients, trainable_variables, scaled
            )
        return after

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """Excludes variables from the inner optimizer's weight decay.

        Args:
            var_list: Variables to exclude.
            var_names: Parts of names: variables whose name has one of them are excluded.

        Raises:
            ValueError: The inner optimizer is built already.
        """
        self.inner_optimizer.exclude_from_weight_decay(var_list=var_list, var_names=var_names)

    def get_weights(self) -> list[Any]:
        """Returns the values of the inner optimizer's variables, as in TensorFlow 2.4."""
        return [keras.ops.convert_to_numpy(one) for one in self.inner_optimizer.variables]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Sets the values of variables.

        Args:
            weights: A value for each of `variables`, or for each of the inner optimizer's. Where
                the optimizer was built for none, values wait until it is built for those it trains.

        Raises:
            ValueError: There are more or fewer values than variables, a shape is another one, or
                the optimizer is not built.
        """
        sets = {len(one): one for one in (self.inner_optimizer.variables, self.variables)}
        if self.__dict__.get("_trained") == [] and len(weights) > len(self.variables):
            # So Keras 3.16 loads HDF5: it builds for no variables, and gives the values of all.
            inner = self.inner_optimizer
            self.built, self.inner_optimizer = False, type(inner).from_config(inner.get_config())
            self.load_own_variables({str(place): one for place, one in enumerate(weights)})
            return
        if not self.built or len(weights) not in sets:
            raise ValueError(
                "set_weights() needs optimizer.build(trainable_variables) before it, and takes "
                f"{' or '.join(map(str, sets))} values, of the inner optimizer alone or of both, "
                f"but got {len(weights)}."
            )
        for variable, weight in zip(sets[len(weights)], weights, strict=True):
            variable.assign(weight)
        self._restart_if_useless()

    def get_config(self) -> dict[str, Any]:
        """Returns what `from_config` needs, in Keras 3's form as far as that can say it."""
        config = {
            "name": self.name,
            "inner_optimizer": keras.saving.serialize_keras_object(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }
        if not self.dynamic:
            config["dynamic"] = False
        rule = self._stated_rule()
        if rule is not None:
            del config["dynamic_growth_steps"]  # The rule says it.
            config["rule"] = rule.to_config()
        if self._counts_skipped_too:
            config["count_skipped_steps"] = True
        return config

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> LossScaleOptimizer:
        """Makes an optimizer, in its initial state, from a config of this class or of Keras 3's.

        Args:
            config: What `get_config` returned. It is not changed.
            custom_objects: Classes by the names under which the config has them.
        """
        others = {key: value for key, value in config.items() if key != "inner_optimizer"}
        inner_optimizer = keras.saving.deserialize_keras_object(
            config["inner_optimizer"], custom_objects=custom_objects
        )
        if others.get("rule") is not None:
            others["rule"] = LossScaleRule.from_config(others["rule"])
        return cls(inner_optimizer, **others)

    @classmethod
    def from_keras(
        cls, optimizer: Any, *, rule: LossScaleRule | None = None, count_skipped_steps: bool = False
    ) -> LossScaleOptimizer:
        """Takes the place of Keras' own loss-scale optimizer, with its state.

        A file that Keras' own class saved loads as that class, and `Model.compile` wraps with it
        under the policy `mixed_float16`. To go on with this class::

            model = keras.models.load_model("model.keras")
            arguments = keras.saving.deserialize_keras_object(model.get_compile_config())
            arguments["optimizer"] = LossScaleOptimizer.from_keras(model.optimizer)
            model.compile(**arguments)

        The inner optimizer is the same object, with its slots and iterations. Do not use the old
        wrapper any more. From HDF5, Keras loads the loss scale alone, into an optimizer that cannot
        take a step; then the inner optimizer is a new one.

        Args:
            optimizer: The `keras.optimizers.LossScaleOptimizer`.
            rule: See the constructor.
            count_skipped_steps: See the constructor.

        Returns:
            The optimizer; built, with the same loss scale and counter, if `optimizer` is built.

        Raises:
            LossScaleArgumentError: `optimizer` is of another class.
        """
        if type(optimizer) is not keras.optimizers.LossScaleOptimizer:
            raise LossScaleArgumentError(
                "from_keras() takes Keras' own LossScaleOptimizer, whose loss scale is kept, but "
                f"got {optimizer!r}. An optimizer of this class stays as it is, and one without "
                "loss scaling is wrapped by LossScaleOptimizer()."
            )
        inner_optimizer = optimizer.inner_optimizer
        trained = private.trained_variables(inner_optimizer) if optimizer.built else []
        if optimizer.built and not trained:
            # So Keras builds what it loads from HDF5: for no variables, and no step is possible.
            inner_optimizer = type(inner_optimizer).from_config(inner_optimizer.get_config())
        taken = cls(
            inner_optimizer,
            initial_scale=optimizer.initial_scale,
            dynamic_growth_steps=None if rule else optimizer.dynamic_growth_steps,
            rule=rule,
            count_skipped_steps=count_skipped_steps,
            name=optimizer.name,
        )
        if trained:
            # Nothing documents that to build the inner optimizer a second time does no harm.
            vars(inner_optimizer)["build"] = lambda variables: None
            try:
                taken.build(trained)
            finally:
                del vars(inner_optimizer)["build"]
        if optimizer.built:
            taken._make_scale_variables()
            taken.dynamic_scale.assign(optimizer.dynamic_scale)
            taken.step_counter.assign(optimizer.step_counter)
            taken._restart_if_useless()
        return taken


def _as_tensor(loss: Any) -> Any:
    """Converts a loss to a tensor."""
    tensor = None if loss is None else keras.ops.convert_to_tensor(loss)
    dtype = "bool" if tensor is None else keras.backend.standardize_dtype(tensor.dtype)
    if dtype == "bool" or not (keras.backend.is_float_dtype(dtype) or hasattr(loss, "dtype")):
        raise UnscalableError(
            f"A loss must be a floating-point tensor, but got: {loss!r}. If it is meant to be one, "
            "convert it by keras.ops.cast(..., 'float32')."
        )
    return tensor


def _as(before: Any, after: Any) -> Any:
    """A gradient that was unscaled, in the dtype that it had before."""
    if after is None or after.dtype == before.dtype:
        return after
    return keras.ops.cast(after, before.dtype)


keras.saving.get_custom_objects()[LossScaleOptimizer.__name__] = LossScaleOptimizer
