# SPDX-License-Identifier: Apache-2.0
"""What constructors, policies and configs state as a loss scale, and the LossScale made of it.

Of an experimental dtype policy, whichever Keras it is of, all that is about its loss scale.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar, TypeAlias

import tensorflow as tf

from compat_lossscale.core import native
from compat_lossscale.core.loss_scale import DynamicLossScale, FixedLossScale, LossScale
from compat_lossscale.errors import ConfigFormatError, LossScaleArgumentError
from compat_lossscale.spec import (
    DEFAULT_MULTIPLIER,
    Generation,
    LossScaleRule,
    LossScaleSpec,
    check_rule,
)


class ForeignLossScale(LossScale):
    """A loss scale of a user's own on a class of TensorFlow, adapted to this package's classes.

    The user's object keeps its state and decides everything.
    """

    def __init__(self, loss_scale: Any) -> None:
        super().__init__()
        self._foreign = loss_scale

    def __call__(self) -> tf.Tensor:
        """Returns what the user's object returns."""
        return self._foreign()

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Lets the user's object update itself."""
        return self._foreign.update(grads)  # type: ignore[no-any-return]  # TensorFlow has no types

    def get_config(self) -> dict[str, Any]:
        """Returns the config of the user's object."""
        if not hasattr(self._foreign, "get_config"):
            raise ConfigFormatError(f"Cannot serialize {self._foreign!r}: it has no get_config().")
        return self._foreign.get_config()  # type: ignore[no-any-return]  # TensorFlow has no types

    def __getattr__(self, name: str) -> Any:
        if name == "_foreign" or not hasattr(self._foreign, name):
            return super().__getattr__(name)
        return getattr(self._foreign, name)

    # What is assigned may be a plain object, of which checkpoints save nothing.
    def _trackable_children(self, *args: Any, **kwargs: Any) -> Any:
        of_foreign = getattr(self._foreign, "_trackable_children", None)
        return {} if of_foreign is None else of_foreign(*args, **kwargs)

    def _lookup_dependency(self, name: str, *args: Any, **kwargs: Any) -> Any:
        of_foreign = getattr(self._foreign, "_lookup_dependency", None)
        return None if of_foreign is None else of_foreign(name, *args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._foreign)


def class_of(loss_scale: LossScale) -> type:
    """Returns a loss scale's class: of an adapted one, the user's own, as which it is saved."""
    return type(loss_scale._foreign if isinstance(loss_scale, ForeignLossScale) else loss_scale)


def spec_of(loss_scale: LossScale) -> LossScaleSpec | None:
    """Returns a loss scale's spec; `None` if it is of a user's own class."""
    # A subclass has rules or arguments of its own, which no spec states.
    return loss_scale.spec if type(loss_scale) in (FixedLossScale, DynamicLossScale) else None


def initial_scale_of(loss_scale: LossScale) -> float | None:
    """Returns the first or only value of a loss scale, of a user's subclass too, if it has one."""
    if isinstance(loss_scale, FixedLossScale):
        return loss_scale._loss_scale_value
    return loss_scale.initial_loss_scale if isinstance(loss_scale, DynamicLossScale) else None


def as_loss_scale(
    loss_scale: Any, rule: LossScaleRule | None = None, *, below_one: bool = False
) -> LossScale:
    """Turns what the old constructors took as `loss_scale` into a LossScale.

    That is `"dynamic"`, which a `rule` may come with, a Python number, or a LossScale. An object of
    this package, or of a subclass, is returned as it is, so that its state is shared with the
    caller, as in TensorFlow 1.14 to 2.3. TensorFlow's own objects are adapted and share it too.
    With `below_one`, a number below 1 is taken, as by the optimizer of TensorFlow 2.4.

    Raises:
        LossScaleArgumentError: For anything else, `None` and a multiplier of 0 included.
    """
    if rule is not None:
        check_rule(rule)
        if not isinstance(loss_scale, str) or loss_scale != "dynamic":
            raise LossScaleArgumentError(
                f'With a "rule", "loss_scale" must be "dynamic", but is {loss_scale!r}. For '
                "another first value, pass loss_scale=DynamicLossScale(value, rule=rule) and leave "
                "out the rule."
            )
        return DynamicLossScale(rule=rule)
    if isinstance(loss_scale, native.DynamicLossScale) and loss_scale.multiplier == 0:
        # 2.4 refuses every multiplier but 2. Before, the loss scale became infinite for good.
        raise LossScaleArgumentError(
            "This DynamicLossScale has a multiplier of 0, by which the first bad step would make "
            "the loss scale infinite, and the first growth would make it 0. Use one above 1."
        )
    if isinstance(loss_scale, LossScale):
        return loss_scale
    if type(loss_scale) is native.DynamicLossScale:
        return DynamicLossScale.sharing_state_of(loss_scale)
    if isinstance(loss_scale, native.LossScale) and type(loss_scale) is not native.FixedLossScale:
        return ForeignLossScale(loss_scale)
    if isinstance(loss_scale, int | float) and not below_one:
        return FixedLossScale(loss_scale)
    return from_spec(LossScaleSpec.from_argument(loss_scale))


def from_spec(spec: LossScaleSpec) -> FixedLossScale | DynamicLossScale:
    """Makes the LossScale, in its initial state, that a spec describes."""
    if not spec.dynamic:
        return FixedLossScale.of_any_value(spec.initial_scale)
    assert spec.growth_steps is not None
    assert spec.multiplier is not None
    return DynamicLossScale(spec.initial_scale, spec.growth_steps, spec.multiplier, spec.rule)


def opt_means_optimizer(init: Callable[..., None]) -> Callable[..., None]:
    """Lets the first argument be given as `opt=`, its name in TensorFlow 1.14 and 1.15."""

    @functools.wraps(init)
    def init_with_either_name(self: Any, *args: Any, **kwargs: Any) -> None:
        if "opt" in kwargs and "optimizer" not in kwargs:
            kwargs["optimizer"] = kwargs.pop("opt")
        init(self, *args, **kwargs)

    return init_with_either_name


@dataclasses.dataclass(frozen=True)
class LossScaleConfigs:
    """Reads and writes such configs, by two functions of the registry of one Keras."""

    registered_name: Callable[[type], str]
    registered_object: Callable[[str, dict[str, Any], dict[str, Any]], Any]

    def serialize(self, loss_scale: LossScale | None) -> dict[str, Any] | None:
        """Returns `{"class_name", "config"}` of a loss scale, and `None` for `None`."""
        if loss_scale is None:
            return None
        class_name = self.registered_name(class_of(loss_scale))
        return {"class_name": class_name, "config": loss_scale.get_config()}

    def of_optimizer(self, loss_scale: LossScale, inner_config: Any) -> dict[str, Any]:
        """Returns the config of an optimizer, in the form of TensorFlow 2.4.

        Where that form has no words for the loss scale (a multiplier other than 2, a user's own
        LossScale), it is in the form of TensorFlow 2.0 to 2.3.
        """
        spec = spec_of(loss_scale)
        if spec is None:
            return {"optimizer": inner_config, "loss_scale": self.serialize(loss_scale)}
        if spec.multiplier in (None, DEFAULT_MULTIPLIER) or spec.rule is not None:
            return {"inner_optimizer": inner_config, **spec.to_own_config(Generation.TF24)}
        return {"optimizer": inner_config, **spec.to_config(Generation.TF23)}

    def deserialize(
        self, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> LossScale:
        """Makes a loss scale, in its initial state, from what `serialize` returned.

        `custom_objects` has users' own LossScale classes by name. Those registered with Keras are
        known.

        Raises:
            ConfigFormatError: The class is not known, or `config` has another form.
        """
        if not {"class_name", "config"} <= config.keys():
            raise ConfigFormatError(
                f"Improper config format: {dict(config)!r} needs `class_name` and `config`."
            )
        own = {"DynamicLossScale": DynamicLossScale, "FixedLossScale": FixedLossScale}
        class_name = config["class_name"]
        loss_scale_class = self.registered_object(class_name, dict(custom_objects or {}), own)
        if loss_scale_class is None:
            raise ConfigFormatError(
                f"Unknown loss scale: {class_name!r}. If it is a class of your own, pass it: "
                f"custom_objects={{{class_name!r}: ...}}."
            )
        loss_scale: LossScale = loss_scale_class.from_config(config["config"])
        return loss_scale

    def stated_in(
        self, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> LossScale:
        """Makes the loss scale, in its initial state, that the config of an optimizer states.

        The config is of any generation. If its `loss_scale` is a LossScale, it is that one.
        """
        stated = config.get("loss_scale")
        if isinstance(stated, LossScale):
            return stated
        if isinstance(stated, Mapping):
            return self.deserialize(stated, custom_objects)
        return from_spec(LossScaleSpec.from_config(config))

    def interpret(
        self, loss_scale: Any, rule: LossScaleRule | None = None, *, below_one: bool = False
    ) -> LossScale:
        """Makes a loss scale of what the experimental Keras classes take as `loss_scale`.

        That is what `as_loss_scale` takes, and `{"class_name", "config"}`, see `deserialize`.

        Source: `LossScaleOptimizer` of TensorFlow 2.0 to 2.4 and `Policy` of 2.1 to 2.4. The
        optimizers of `tf.compat.v1.train` take no dictionary.
        """
        if rule is None and isinstance(loss_scale, Mapping):
            loss_scale = self.deserialize(loss_scale)
        return as_loss_scale(loss_scale, rule, below_one=below_one)

    def get(self, identifier: Any) -> LossScale | None:
        """Makes a loss scale of whatever Keras up to TensorFlow 2.3 took for one, or `None`."""
        return None if identifier is None else self.interpret(identifier)


Wrap: TypeAlias = Callable[[Any], Any]
"""Wraps an optimizer in a loss-scale optimizer."""


class PolicyWithLossScale:
    """A base class of policies, to stand in front of Keras' own.

    Source: `tf.keras.mixed_precision.experimental.Policy` of TensorFlow 1.14 to 2.4.
    """

    name: Any
    """The policy's name. This and the two dtypes are properties of Keras' own class."""
    compute_dtype: Any
    """The name of the dtype that a layer computes in; `None` if it infers it."""
    variable_dtype: Any
    """The name of the dtype of its variables; `None` likewise."""
    _configs: ClassVar[LossScaleConfigs]
    _wrapper: ClassVar[Any]
    """The class that wraps optimizers, given one and a loss scale."""
    _wrappers: ClassVar[type]
    """The base class of all optimizers that scale the loss."""
    _loss_scale: LossScale | None
    _loss_scale_is_given: bool

    def _take_loss_scale(self, name: str, loss_scale: Any) -> None:
        """Takes the two arguments of a policy's constructor, once Keras' own has run."""
        self._loss_scale_is_given = not (isinstance(loss_scale, str) and loss_scale == "auto")
        if not self._loss_scale_is_given:
            loss_scale = "dynamic" if self.name == "mixed_float16" else None
        elif loss_scale is not None and self.compute_dtype not in ("float16", None):
            tf.get_logger().warning(
                "The policy %r computes in %s, which needs no loss scaling, but was given the "
                "loss scale %s. Loss scaling only costs time here.",
                name,
                self.compute_dtype,
                loss_scale,
            )
        self._loss_scale = self._configs.get(loss_scale)

    @property
    def loss_scale(self) -> LossScale | None:
        """The object that was passed as the loss scale, or `None` without loss scaling."""
        return self._loss_scale

    @property
    def should_cast_variables(self) -> bool:
        """Whether variables are cast to another dtype for computing (removed in TensorFlow 2.4)."""
        return bool(self.variable_dtype != self.compute_dtype)

    def wrap_optimizer(self, optimizer: Any) -> Any:
        """Wraps an optimizer as `Model.compile` does under this policy.

        Args:
            optimizer: An optimizer of the same Keras.

        Returns:
            The wrapped optimizer, the same one each time, as the wrappers of an optimizer shared
            the policy's loss scale up to TensorFlow 2.2. Or `optimizer` itself if it already has
            loss scaling, or this policy has no loss scale.
        """
        if self._loss_scale is None or isinstance(optimizer, self._wrappers):
            return optimizer
        # Past the attribute handling of Keras' optimizers, which would put it into checkpoints.
        given = vars(optimizer)
        if getattr(given.get("_wrapper"), "_loss_scale", None) is not self._loss_scale:
            given["_wrapper"] = self._wrapper(optimizer, self._loss_scale)
        return given["_wrapper"]

    def get_config(self) -> dict[str, Any]:
        """Returns the name, and the loss scale if one was passed."""
        config: dict[str, Any] = {"name": self.name}
        if self._loss_scale_is_given:
            config["loss_scale"] = self._configs.serialize(self._loss_scale)
        return config

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> Any:
        """Creates a policy from the dictionary of `get_config()`.

        Args:
            config: The name, and the loss scale in the form of TensorFlow 2.1 to 2.4.
            custom_objects: Custom LossScale classes by name.

        Returns:
            The policy, with its loss scale in the initial state.
        """
        arguments = dict(config)
        if isinstance(arguments.get("loss_scale"), Mapping):
            arguments["loss_scale"] = cls._configs.deserialize(
                arguments["loss_scale"], custom_objects
            )
        return cls(**arguments)

    def __repr__(self) -> str:
        return f'<Policy "{self.name}", loss_scale={self._loss_scale!r}>'


def policy_scope_of(
    set_policy: Callable[[Any], None], current: Callable[[], Any]
) -> Callable[[Any], AbstractContextManager[None]]:
    """Returns a Keras' `policy_scope` (private in TensorFlow, but programs import it)."""

    @contextlib.contextmanager
    def policy_scope(policy: Any) -> Iterator[None]:
        """Sets the policy inside a `with` block; see `set_policy`."""
        previous = current()
        set_policy(policy)
        try:
            yield
        finally:
            set_policy(previous)

    return policy_scope


def get_layer_policy_of(layers: type, kind: str) -> Callable[[Any], Any]:
    """Returns a Keras' `get_layer_policy`, for layers of a class."""

    def get_layer_policy(layer: Any) -> Any:
        """Returns a layer's policy, the layer's own object.

        Source: `tf.keras.mixed_precision.experimental.get_layer_policy` of TensorFlow 2.2 to 2.4.

        Args:
            layer: A Keras layer.

        Raises:
            ValueError: `layer` is not a Keras layer.
        """
        if not isinstance(layer, layers):
            raise ValueError(
                f"get_policy can only be called on a layer, but got: {layer!r}. get_layer_policy "
                f"takes a layer of {kind}."
            )
        return layer.dtype_policy  # type: ignore[attr-defined]  # Keras has no types

    return get_layer_policy


def wrap_under(policy: Any, default: Wrap | None) -> Wrap | None:
    """Returns what `Model.compile` wraps an optimizer with under a policy; `None` for Keras' way.

    `default` is what it wraps with under a `mixed_float16` policy that is not experimental.
    """
    by_policy: Wrap | None = getattr(policy, "wrap_optimizer", None)
    if by_policy is None and policy.name == "mixed_float16":
        return default
    return by_policy
