# SPDX-License-Identifier: Apache-2.0
"""In eager mode, whether gradients are finite is found out as they are unscaled.

A tensor that has just been computed is still in the processor's cache, where to look at it takes
little. To look at all of them later reads all memory once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

# Kept with the tensor itself, which nothing can overwrite, and gone when it is.
_VERDICT = "_compat_lossscale_all_finite"


def note_verdict(tensors: Sequence[tf.Tensor], all_finite: tf.Tensor) -> None:
    """Keeps with eager tensors whether they, all together, are finite, a bool scalar tensor."""
    for tensor in tensors:
        setattr(tensor, _VERDICT, all_finite)


def known_to_be_finite(tensors: Sequence[tf.Tensor]) -> bool:
    """Whether each of these tensors was among some that were found to be finite.

    If not, they may be finite all the same: others may not have been, or nobody has looked.
    """
    verdicts = {id(verdict): verdict for verdict in (_verdict_of(tensor) for tensor in tensors)}
    return all(verdict is not None and bool(verdict) for verdict in verdicts.values())


def _verdict_of(tensor: tf.Tensor) -> tf.Tensor | None:
    return getattr(tensor, _VERDICT, None)
