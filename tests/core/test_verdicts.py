# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gc
import weakref

import tensorflow as tf

from compat_lossscale.core.verdicts import known_to_be_finite, note_verdict


def _tensors(count: int, *, all_finite: bool) -> list[tf.Tensor]:
    tensors = [tf.constant(float(number)) for number in range(count)]
    note_verdict(tensors, tf.constant(all_finite))
    return tensors


def test_tensors_that_were_found_finite_are_known_to_be() -> None:
    tensors = _tensors(3, all_finite=True)
    assert known_to_be_finite(tensors)
    assert known_to_be_finite(tensors[1:])
    assert known_to_be_finite([*reversed(tensors), *_tensors(2, all_finite=True)])


def test_nothing_is_known_of_a_tensor_that_nobody_looked_at() -> None:
    assert not known_to_be_finite([*_tensors(2, all_finite=True), tf.constant(1.0)])


def test_nothing_good_is_known_of_tensors_of_which_some_were_not_finite() -> None:
    bad = _tensors(3, all_finite=False)
    assert not known_to_be_finite(bad)
    assert not known_to_be_finite(bad[:1])
    assert not known_to_be_finite([*_tensors(2, all_finite=True), *bad])


def test_what_is_computed_from_a_tensor_is_another_tensor() -> None:
    (tensor,) = _tensors(1, all_finite=True)
    assert not known_to_be_finite([tensor / 0.0])
    assert not known_to_be_finite([tf.identity(tensor)])


def test_a_tensor_takes_its_verdict_with_it_when_it_goes() -> None:
    verdict = tf.constant(True)
    tensors = [tf.constant(1.0)]
    note_verdict(tensors, verdict)
    gone = weakref.ref(verdict)
    del verdict, tensors
    gc.collect()
    assert gone() is None
