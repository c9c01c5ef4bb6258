# SPDX-License-Identifier: Apache-2.0
"""What a file offers to other files, which then has to mean what it meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary.names import Meaning, Target

if TYPE_CHECKING:
    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.vocabulary.names import OldName

_SAME_SIGNATURE = {
    Meaning.SET_POLICY,
    Meaning.GLOBAL_POLICY,
    Meaning.V1_OPTIMIZER,
    Meaning.REWRITE_OFF,
    Meaning.LOSS_SCALE,
    Meaning.FIXED,
    Meaning.DYNAMIC,
    Meaning.KERAS_OPTIMIZER,
    Meaning.NEIGHBOUR,
}
"""Old names that other files can go on using through this one, once it has moved."""


def name_for_others(program: Program, binding: Binding) -> str | None:
    """Returns the name under which other files can reach a binding, if they can."""
    if program.owner_of_attribute(binding) is not None or binding.scope.is_class:
        return "." + binding.name.rpartition(".")[2]
    return binding.name if binding.scope is program.scopes.module else None


def changes_for_others(old: OldName, target: Target) -> bool:
    """Whether calls through a name no longer work the old way once it has moved."""
    return target is not Target.COMPAT and old.meaning not in _SAME_SIGNATURE


def why_offered(program: Program, binding: Binding, *, unused: bool) -> str | None:
    """Says why other files must be expected to use a binding, if they must.

    Args:
        program: The file.
        binding: One of its bindings.
        unused: Whether nothing in the file itself uses it.
    """
    name = name_for_others(program, binding)
    if name is None:
        return None
    if name in program.exports.users:
        return f"{program.exports.users[name]} may use it too, and in the old way"
    if name in program.exported:
        return f"`__all__` offers {name} to other files, which may call it in the old way"
    if program.exports.package and unused and not name.startswith(("_", ".")):
        return f"the package offers {name} to other files, which may call it in the old way"
    return None
