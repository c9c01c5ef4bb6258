# SPDX-License-Identifier: Apache-2.0
"""The floor of every codemod: reads each Python file of a tree and looks for marker bytes.

python benchmarks/reading.py TREE
"""

from __future__ import annotations

import os
import re
import sys

MARKERS = (b"LossScale", b"mixed_precision", b"loss_scale")
SUFFIXES = (".py", ".pyi", ".ipynb")
SCRIPT = re.compile(rb"#!.*python")


def read(tree: str) -> tuple[int, int]:
    """Returns how many files there are, and how many have a marker."""
    files = marked = 0
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118  # as quick as can be
            may_be_script = "." not in name
            if (may_be_script or name.endswith(SUFFIXES)) and os.path.isfile(path):
                with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # a path object costs more
                    source = file.read(128) if may_be_script else file.read()
                    if may_be_script:
                        if not SCRIPT.match(source):
                            continue
                        source += file.read()
                files += 1
                marked += any(marker in source for marker in MARKERS)
    return files, marked


if __name__ == "__main__":
    print("{} files, {} with a marker".format(*read(sys.argv[1])))
