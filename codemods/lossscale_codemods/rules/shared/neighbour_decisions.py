# SPDX-License-Identifier: Apache-2.0
"""What becomes of a use of a name of the table of neighbours."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING

from compat_lossscale.neighbour_names import keras_names
from compat_lossscale.neighbour_names.lookup import neighbour_at
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.editing.names import CannotRenderError
from lossscale_codemods.rules.base import (
    ImportState,
    Review,
    Rewrite,
    Suppressed,
    Verdict,
    rename,
)
from lossscale_codemods.rules.shared.neighbour_uses import DOTTED, successor
from lossscale_codemods.vocabulary.paths import canonical
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from compat_lossscale.neighbour_names.neighbour import Neighbour
    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.names import NameRenderer

_CALL = re.compile(r"(?P<function>[\w.]+)\((?P<arguments>\.\.\.(?:, \.\.\.)*)(?P<rest>.*)")
_STAYS = "Settle that use first, then run again."


def decide(occurrence: Occurrence, program: Program) -> Verdict:
    """Puts what new code has in the place of a name, or says what to do."""
    path = canonical(occurrence.names[0].path)
    new = successor(path, program)
    if occurrence.names[0].new:
        return rename(_message(new), occurrence)
    neighbour = neighbour_at(path)
    assert neighbour is not None
    if isinstance(occurrence.node, cst.Attribute):
        if _reads_what_is_the_same(occurrence, neighbour, program):
            new = neighbour.for_members[0]
        respelled = _respelled(occurrence, new, program) if new else None
        if respelled is not None:
            return respelled
    return review(neighbour)


def _reads_what_is_the_same(occurrence: Occurrence, neighbour: Neighbour, program: Program) -> bool:
    """Whether a function is called for parts of its result that another one gives as well."""
    call = program.call(occurrence)
    above = program.tree.parent(call) if call is not None else None
    if isinstance(above, cst.Attribute):
        return above.attr.value in neighbour.for_members[1:]
    if isinstance(above, cst.Subscript) and above.value is call:
        return program.tree.source(above).rpartition("[")[2][:-1] in neighbour.for_members[1:]
    return False


def _respelled(occurrence: Occurrence, new: str, program: Program) -> Rewrite | None:
    """Puts a built-in name, a number or a call in the place of a name."""
    template = _CALL.fullmatch(new)
    if template is not None:
        return _called(occurrence, template, program)
    sign, word = ("-", new[1:]) if new.startswith("-") else ("", new)

    def edits(renderer: NameRenderer) -> list[Edit]:
        text = sign + _spelled(word, occurrence, renderer, program)
        alone = cst.AnnAssign | cst.Arg | cst.Assign | cst.Element | cst.Return
        if sign and not isinstance(program.tree.parent(occurrence.node), alone):
            text = f"({text})"
        return [Edit(*occurrence.span, text)]

    return Rewrite(_message(new), edits, keeps_name=False, is_rename=True)


def _spelled(word: str, occurrence: Occurrence, renderer: NameRenderer, program: Program) -> str:
    if not hasattr(builtins, word):
        return renderer.render_path(occurrence, word) if DOTTED.fullmatch(word) else word
    scope = program.scope(occurrence)
    if program.scopes.lookup(word, scope):
        raise CannotRenderError(f"the file has a {word} of its own")
    return word


def _called(occurrence: Occurrence, template: re.Match[str], program: Program) -> Rewrite | None:
    """Respells a call whose arguments are those that the new call takes."""
    call = program.call(occurrence)
    count = template["arguments"].count("...")
    if call is None or len(call.args) != count or any(a.keyword or a.star for a in call.args):
        return None
    end = program.tree.full_span(call.args[-1].value)[1]
    rest = Edit(end, program.tree.span(call)[1], template["rest"])

    def edits(renderer: NameRenderer) -> list[Edit]:
        function = renderer.render_path(occurrence, template["function"])
        return [Edit(*occurrence.span, function), rest]

    return Rewrite(_message(template.string), edits, is_rename=True)


def decide_import(occurrence: Occurrence, state: ImportState) -> Verdict | None:
    """Says what became of an import that is to become another."""
    if state.reason == "suppressed":
        return Suppressed()
    if any(binding.moved or binding.dropped for binding in state.bindings):
        return Rewrite(_message(occurrence.names[0].new[0]), lambda _: [])
    return Review(
        f"the import stays as it is: {state.reason or 'it cannot be taken apart'}", _STAYS
    )


def review(neighbour: Neighbour) -> Review:
    """Returns the finding on a name that no other does the same as in every case."""
    gone = f"it ended with {neighbour.until}"
    if neighbour.name.startswith(keras_names.PRIVATE):
        gone = "it is of TensorFlow's private copy of Keras now, and nothing public is the same"
    if not neighbour.is_served:
        return Review(f"{gone}: {neighbour.faithful}", f"{neighbour.instead}.")
    instead = (
        "Nothing takes its place: take it out."
        if neighbour.instead == "nothing"
        else f"In new code: {neighbour.instead}."
    )
    return Review(gone, f"{instead} `compat-lossscale run` restores the old name.")


def _message(new: str) -> str:
    return f"it was {new.replace('numpy.', 'np.')}"
