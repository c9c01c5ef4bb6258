# SPDX-License-Identifier: Apache-2.0
"""What a run is asked to do; known long before anything is parsed, so it needs no parser."""

from __future__ import annotations

import dataclasses

from lossscale_codemods.vocabulary.exports import Exports
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.suppression import Selection


@dataclasses.dataclass(frozen=True)
class Options:
    """What a run does.

    Attributes:
        target: What programs are migrated to.
        selection: Which rules are applied.
        collapse_guards: Whether branches for old versions are taken out.
        notebook: Whether the source is the cells of a notebook, where `await` may stand outside
            of functions.
        exports: What is known of the files that may import this one.
    """

    target: Target = Target.TF_KERAS
    selection: Selection = dataclasses.field(default_factory=Selection)
    collapse_guards: bool = False
    notebook: bool = False
    exports: Exports = dataclasses.field(default_factory=Exports)
