# SPDX-License-Identifier: Apache-2.0
"""State that an optimizer is given before it is built, as a copy and an unpickled one are."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from compat_lossscale.members.guards import warn_that_it_starts_again
from compat_lossscale.spec import LossScaleRule


class KeepsLoadedState:
    """Keeps values that have no variable yet until `build` has made it.

    Keras' own optimizers drop all of their state then, with a warning.
    """

    built: bool
    dynamic_scale: Any
    initial_scale: Any
    inner_optimizer: Any
    step_counter: Any
    _fixed_scale: Callable[[], float | None]
    _make_scale_variables: Callable[[], None]
    _stated_rule: Callable[[], LossScaleRule | None]

    @property
    def _waiting(self) -> list[Any]:
        """Values for variables of the inner optimizer that are yet to be made, in their order."""
        waiting: list[Any] = self.__dict__.get("_values_to_come", [])
        return waiting

    def _numbered(self) -> list[Any]:
        """The variables in the order in which files have them."""
        return list(self.variables)  # type: ignore[attr-defined]  # of what this is mixed into

    def load_own_variables(self, store: Any) -> None:
        """Sets the variables to the values of a file.

        Args:
            store: The values by their number, as Keras has them.
        """
        if not self.built:
            self._make_scale_variables()
        there = len(self._numbered())
        if self.built or len(store.keys()) <= there:
            super().load_own_variables(store)  # type: ignore[misc]  # it is mixed into what has one
            self._restart_if_useless()
            return
        values = [np.array(store[str(number)]) for number in range(len(store.keys()))]
        # What an optimizer makes in build() comes after what it has from the start.
        for variable, value in zip(self._numbered(), values, strict=False):
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
        super().save_own_variables(store)  # type: ignore[misc]  # it is mixed into what has one
        for number, value in enumerate(self._waiting, len(self._numbered())):
            store[str(number)] = value

    def build(self, var_list: Sequence[Any]) -> None:
        """Makes the variables, and gives them the values that have waited.

        Args:
            var_list: The variables to be trained.
        """
        there = len(self.inner_optimizer.variables)
        super().build(var_list)  # type: ignore[misc]  # it is mixed into what has one
        waiting = self.__dict__.pop("_values_to_come", [])
        vars(self.inner_optimizer).pop("load_own_variables", None)
        made = self.inner_optimizer.variables[there:]
        if [value.shape for value in waiting] == [tuple(one.shape) for one in made]:
            for variable, value in zip(made, waiting, strict=True):
                variable.assign(value)
        elif waiting:
            warnings.warn(
                "This optimizer was loaded with the state of another set of variables: its slots, "
                f"{len(waiting)} in all, do not fit the variables that it is now built for, and "
                "start again.",
                stacklevel=2,
            )
