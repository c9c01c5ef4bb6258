# SPDX-License-Identifier: Apache-2.0
"""Converts many models in one process, as `compat_lossscale.models.process` converts one.

    python converting.py

Each line of standard input is a JSON list of requests, whose optimizers are of one family. The
answer to a line is a JSON list of results.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from compat_lossscale.errors import CompatLossScaleError
from compat_lossscale.formats.isolated import plain
from compat_lossscale.models.process import convert_model


def converted(request: dict[str, Any]) -> dict[str, Any]:
    """The result of one request."""
    try:
        return {"conversion": convert_model(**request)}
    except CompatLossScaleError as error:
        return {"error": str(error), "kind": type(error).__name__}
    except Exception:
        return {"error": traceback.format_exc(), "kind": "AssertionError"}


def main() -> None:
    """Answers lines."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        results = [converted(request) for request in json.loads(line)]
        print(json.dumps(results, default=plain), file=answers)
        answers.flush()


if __name__ == "__main__":
    main()
