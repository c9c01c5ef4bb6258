# SPDX-License-Identifier: Apache-2.0
"""Each node has the offsets of its own text in the module's UTF-8 bytes."""

from __future__ import annotations

import libcst as cst
import pytest
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper
from lossscale_codemods.analysis.spans import printed

SOURCE = """\
# ä
import tensorflow as tf


@decorated
def ƒ(x, *, y="€"):
    return (  # why
        tf.add(x, y)
    )
"""


@pytest.mark.parametrize("source", [SOURCE, SOURCE.replace("\n", "\r\n"), "", "x"])
def test_spans_are_those_that_libcst_computes(source: str) -> None:
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    text, spans = printed(wrapper.module)
    assert text == source
    expected = wrapper.resolve(ByteSpanPositionProvider)
    assert spans == {
        node: (span.start, span.start + span.length) for node, span in expected.items()
    }
