# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gc
import weakref

import tensorflow as tf

from compat_lossscale.steps.tensor_notes import TensorNotes


class Note:
    """What can be referred to weakly."""


class WithoutAttributes:
    """A tensor as JAX has them."""

    __slots__ = ("__weakref__",)


def test_a_note_is_on_one_tensor_and_not_on_others_of_the_same_value() -> None:
    notes: TensorNotes[str] = TensorNotes("_note")
    first, second = tf.constant(1.0), tf.constant(1.0)
    notes.write([first], "first")
    assert notes.of(first) == "first"
    assert notes.of(second) is None
    notes.write([first, second], "both")
    assert (notes.of(first), notes.of(second)) == ("both", "both")


def test_a_note_lives_as_long_as_its_tensor() -> None:
    notes: TensorNotes[Note] = TensorNotes("_note")
    for make in (lambda: tf.constant(1.0), WithoutAttributes):
        kept, note = make(), Note()
        noted = weakref.ref(note)
        notes.write([kept], note)
        del note
        for _ in range(100):
            notes.write([make()], Note())
        assert notes.of(kept) is noted()
        assert all(notes.of(make()) is None for _ in range(100))
        del kept
        gc.collect()
        assert noted() is None


def test_symbolic_and_sparse_tensors_have_notes_and_what_has_no_reference_has_none() -> None:
    notes: TensorNotes[str] = TensorNotes("_note")
    with tf.Graph().as_default():
        symbolic = tf.constant(1.0)
        sparse = tf.IndexedSlices(symbolic, symbolic)
        notes.write([symbolic, sparse, 1.0, None], "noted")
    assert [notes.of(one) for one in (symbolic, sparse, 1.0, None)] == [
        "noted",
        "noted",
        None,
        None,
    ]
