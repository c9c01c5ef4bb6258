# SPDX-License-Identifier: Apache-2.0
"""One translation of a model from one Keras to the other, and what it finds on its way."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from compat_lossscale.formats.conversion import Field, Verdict
from compat_lossscale.spec import Generation

MAX_FINDINGS = 1000
"""How many are kept: a hostile file must not fill the memory with them."""


def other(generation: Generation) -> Generation:
    """Returns Keras 3 for tf-keras, and tf-keras for Keras 3."""
    return Generation.KERAS3 if generation is Generation.TF_KERAS else Generation.TF_KERAS


@dataclasses.dataclass
class Translation:
    """A translation in progress.

    Attributes:
        target: The Keras that the model is translated to.
        convert: Converts a value of a config at a place: `translate.convert_value`.
        fields: What has been found.
        policies: The dtype policy of each network's layers, by the layers' names.
    """

    target: Generation
    convert: Callable[[Translation, Any, str], Any]
    fields: list[Field] = dataclasses.field(default_factory=list)

    @property
    def source(self) -> Generation:
        """The Keras that the model is of."""
        return other(self.target)

    def value(self, value: Any, place: str) -> Any:
        """Converts a value of a config.

        Args:
            value: Anything JSON can say.
            place: Where it stands, for what is found in it.
        """
        return self.convert(self, value, place)

    def values(self, config: Mapping[str, Any], place: str) -> dict[str, Any]:
        """Converts each value of a config, of which nothing else is known."""
        return {key: self.value(value, f"{place}.{key}") for key, value in config.items()}

    def lost(self, place: str, value: Any, reason: str) -> None:
        """Notes what the target cannot read, or reads as something else."""
        self._note(Verdict.LOST, place, value, reason)

    def noted(self, place: str, value: Any, reason: str) -> None:
        """Notes what changes and does not change what the model computes."""
        self._note(Verdict.NOTED, place, value, reason)

    def _note(self, verdict: Verdict, place: str, value: Any, reason: str) -> None:
        if len(self.fields) < MAX_FINDINGS:
            self.fields.append(Field(place, verdict, value, reason))
