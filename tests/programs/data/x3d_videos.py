# SPDX-License-Identifier: Apache-2.0
"""Writes videos of noise, and the list of them with labels that X3D-tf reads."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

_VIDEOS, _FRAMES, _SIZE, _CLASSES = 4, 12, 64, 5


def main() -> None:
    """Writes `videos.txt` and the videos."""
    chance = np.random.default_rng(0)
    lines = []
    for number in range(_VIDEOS):
        video = Path(f"video{number}.mp4").absolute()
        how = cv2.VideoWriter_fourcc(*"mp4v")
        writer = cv2.VideoWriter(str(video), how, 12, (_SIZE, _SIZE))
        for _ in range(_FRAMES):
            writer.write(chance.integers(0, 255, (_SIZE, _SIZE, 3), dtype=np.uint8))
        writer.release()
        lines.append(f"{video} {chance.integers(_CLASSES)}\n")
    Path("videos.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
