# SPDX-License-Identifier: Apache-2.0
"""Records the names of all cases under real TensorFlows.

    python tests/goldens/names/record_names.py 1.15=PYTHON 2.3=PYTHON 2.21=PYTHON ...

Each PYTHON is an interpreter that has that TensorFlow, 2.21 with tf-keras. To add a case, add it to
`cases.py` and record every version of `recordings.VERSIONS` again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import recordings


def observed(python: str, *arguments: str) -> recordings.Names:
    """Runs every case under an interpreter, and returns the names."""
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_USE_LEGACY_KERAS": "1",
        # Some versions put what is in a set into a graph in its order.
        "PYTHONHASHSEED": "0",
    }
    script = Path(recordings.__file__).with_name("observing.py")
    done = subprocess.run(
        [python, str(script), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{python}: {done.stderr[-3000:]}")
    names: recordings.Names = json.loads(done.stdout)
    return names


def main() -> None:
    """Records the versions that the command line names."""
    found = recordings.read()
    for argument in sys.argv[1:]:
        version, _, python = argument.partition("=")
        found[version] = observed(python)
        print(version, len(found[version]), flush=True)
        recordings.write(found)


if __name__ == "__main__":
    main()
