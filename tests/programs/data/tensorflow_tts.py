# SPDX-License-Identifier: Apache-2.0
"""Writes sounds as TensorFlowTTS' preprocessing leaves them: noise, with made-up texts.

NLTK would download a dictionary of pronunciations; one of a word is written for it.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

_CHARACTERS, _FRAMES_EACH, _MELS, _HOP = 10, 8, 80, 256
_UTTERANCES = {"train": 4, "valid": 2}


def main() -> None:
    """Writes `train` and `valid`."""
    chance = np.random.default_rng(0)
    frames = _CHARACTERS * _FRAMES_EACH
    for part, utterances in _UTTERANCES.items():
        for number in range(utterances):
            arrays = {
                "ids": chance.integers(1, 40, _CHARACTERS, dtype=np.int32),
                "durations": np.full(_CHARACTERS, _FRAMES_EACH, np.int32),
                "norm-feats": chance.standard_normal((frames, _MELS), np.float32),
                "raw-f0": chance.random(frames, np.float32) + 100,
                "raw-energy": chance.random(frames, np.float32) + 1,
                "wave": chance.standard_normal(frames * _HOP, np.float32) / 10,
            }
            for kind, array in arrays.items():
                file = Path(part, kind, f"utterance{number}-{kind}.npy")
                file.parent.mkdir(parents=True, exist_ok=True)
                np.save(file, array)
    np.save("f0_stat.npy", np.array([100.5, 0.3], np.float32))
    np.save("energy_stat.npy", np.array([1.5, 0.3], np.float32))
    for kind, name, text in (
        ("corpora", "cmudict", "A 1 AH0\n"),
        ("taggers", "averaged_perceptron_tagger", ""),
    ):
        folder = Path("nltk_data", kind)
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as packed:
            packed.writestr(f"{name}/{name}", text)


if __name__ == "__main__":
    main()
