# SPDX-License-Identifier: Apache-2.0
"""What is found in files that are searched together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.runner.batches import Batch, Searched, search
from lossscale_codemods.vocabulary.records import Status

if TYPE_CHECKING:
    from pathlib import Path

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental\n"


def test_files_are_told_apart_by_their_words(tmp_path: Path) -> None:
    texts = [OLD, "import os\n", "from a import *\n", "x.loss_scale_module\n"]
    names = [tmp_path / f"{number}.py" for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        name.write_text(text)
    found = search(Batch(0, list(map(str, names))))
    assert found == Searched(to_parse=[(0, len(OLD))], marked=[0, 2, 3], unreadable=[])


def test_what_cannot_be_read_is_said_and_the_others_are_searched(tmp_path: Path) -> None:
    old = tmp_path / "old.py"
    old.write_text(OLD)
    found = search(Batch(0, [str(tmp_path), str(tmp_path / "gone.py"), str(old)]))
    assert found.to_parse == [(2, len(OLD))]
    problems = {position: result.problem for position, result in found.unreadable}
    assert problems == {
        0: "It cannot be read: Is a directory.",
        1: "It cannot be read: No such file or directory.",
    }
    assert {result.status for _, result in found.unreadable} == {Status.UNREADABLE}
