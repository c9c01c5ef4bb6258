# SPDX-License-Identifier: Apache-2.0
"""Where each node of a module is in its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libcst.metadata import ByteSpanPositionProvider, CodeSpan
from libcst.metadata.span_provider import SpanProvidingCodegenState, byte_length_in_utf8

if TYPE_CHECKING:
    import libcst as cst


def printed(module: cst.Module) -> tuple[str, dict[cst.CSTNode, tuple[int, int]]]:
    """Returns a module's text, and the span of each of its nodes in UTF-8 offsets."""
    return _Printer().printed(module)


class _Printer(ByteSpanPositionProvider):
    """Prints a module, and notes on the way where each node is.

    libcst's `MetadataWrapper` first visits the whole tree for providers that are not asked for
    here, which takes longer than the spans do; and its `Module.code` would print again.
    """

    def printed(self, module: cst.Module) -> tuple[str, dict[cst.CSTNode, tuple[int, int]]]:
        state = SpanProvidingCodegenState(
            default_indent=module.default_indent,
            default_newline=module.default_newline,
            provider=self,
            get_length=byte_length_in_utf8,
        )
        module._codegen(state)
        spans = {}
        for node, span in self._computed.items():
            assert isinstance(span, CodeSpan)
            spans[node] = (span.start, span.start + span.length)
        return "".join(state.tokens), spans
