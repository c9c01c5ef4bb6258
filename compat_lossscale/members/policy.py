# SPDX-License-Identifier: Apache-2.0
"""The loss scale of an experimental dtype policy, whichever Keras the policy is of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import tensorflow as tf

from compat_lossscale.core import LossScale
from compat_lossscale.members.loss_scales import LossScaleConfigs

Wrap: TypeAlias = Callable[[Any], Any]
"""Wraps an optimizer in a loss-scale optimizer."""


class PolicyWithLossScale:
    """A base class of policies, to stand in front of Keras' own.

    Source: `tf.keras.mixed_precision.experimental.Policy` of TensorFlow 1.14 to 2.4.
    """

    if TYPE_CHECKING:  # Keras' own class has them.

        @property
        def name(self) -> str:
            """The policy's name."""

        @property
        def compute_dtype(self) -> str | None:
            """The name of the dtype that a layer computes in; `None` if it infers it."""

        @property
        def variable_dtype(self) -> str | None:
            """The name of the dtype of its variables; `None` likewise."""

    _configs: ClassVar[LossScaleConfigs]
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
    """Returns a Keras' `policy_scope` (private in TensorFlow, but programs import it).

    Args:
        set_policy: Sets the policy.
        current: Returns what `set_policy` has to be given for the policy that is in force.
    """

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


def wrap_under(policy: Any, default: Wrap | None) -> Wrap | None:
    """Returns what `Model.compile` wraps an optimizer with under a policy.

    Args:
        policy: The model's policy.
        default: What it wraps with under a `mixed_float16` policy that is not experimental.

    Returns:
        A function that wraps an optimizer; `None` to leave it to Keras.
    """
    by_policy: Wrap | None = getattr(policy, "wrap_optimizer", None)
    if by_policy is None and policy.name == "mixed_float16":
        return default
    return by_policy
