# SPDX-License-Identifier: Apache-2.0
"""What the installation of the environment shows while pip works."""

from __future__ import annotations

from tools.install import steps

PIP = """\
Collecting absl-py==2.3.1 (from -r requirements/dev.txt (line 3))
  Using cached absl_py-2.3.1-py3-none-any.whl (135 kB)
Collecting tensorflow==2.21.0 (from -r requirements/dev.txt (line 9))
  Downloading tensorflow-2.21.0-cp312-cp312-manylinux_2_27_x86_64.whl (632.1 MB)
Installing collected packages: absl-py, tensorflow
Successfully installed absl-py-2.3.1 tensorflow-2.21.0
"""


def test_it_shows_how_far_it_is_which_package_it_loads_and_how_large_that_is() -> None:
    assert list(steps(PIP.splitlines(keepends=True), 118)) == [
        ("[1/118] absl-py 2.3.1", False),
        ("[1/118] absl-py 2.3.1: already downloaded, 135 kB", False),
        ("[2/118] tensorflow 2.21.0", False),
        ("[2/118] tensorflow 2.21.0: downloading 632.1 MB", True),
        ("Unpacking them, which takes a minute.", True),
    ]
