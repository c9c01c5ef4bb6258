# SPDX-License-Identifier: Apache-2.0
"""Records what moved names were in an old TensorFlow: `PYTHON record_signatures.py < names > file`.

Runs under the old TensorFlow, on the Python that it has, without this package. The names are one a
line, as the table has them:

    python -c "from compat_lossscale.neighbour_names import MOVED
    print(*[one.name for one in MOVED], sep='\\n')"

For each it writes the names of the parameters of a function or of a class.
"""

import importlib
import inspect
import json
import sys

import tensorflow as tf


def main():
    """Writes the recording."""
    recorded = {}
    for line in sys.stdin:
        module, _, name = line.strip().rpartition(".")
        try:
            value = getattr(importlib.import_module(module), name)
            recorded[line.strip()] = list(inspect.signature(value).parameters)
        except (AttributeError, ImportError):
            continue
        except ValueError:  # A function written in C has no signature.
            recorded[line.strip()] = None
    json.dump({"tensorflow": tf.__version__, "names": recorded}, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
