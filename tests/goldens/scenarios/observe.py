# SPDX-License-Identifier: Apache-2.0
"""How a scenario says what it saw: one printed line ``name = <json>`` an observation."""

import json
import math
import re
from typing import Any, Callable  # noqa: UP035 - old Pythons run this

import numpy as np

_MAX_MESSAGE = 300
_UNSAID_BASES = ("BaseException", "Exception", "object")
_seen = [""]


def _plain_float(number: float) -> Any:
    """Returns a finite float as it is, and any other as a string JSON can carry."""
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def _plain_container(value: Any) -> Any:
    """Turns a dictionary, set or sequence into plain JSON data."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    return [plain(item) for item in value]


def plain(value: Any) -> Any:
    """Turns a value of NumPy, TensorFlow or Python into plain JSON data."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return _plain_float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, type):
        return value.__name__
    if hasattr(value, "indices") and hasattr(value, "dense_shape"):
        return {"indices": plain(value.indices), "values": plain(value.values)}
    if hasattr(value, "numpy"):
        return plain(value.numpy())
    if hasattr(value, "as_numpy_dtype") or hasattr(value, "_member_name_"):
        return value.name
    if hasattr(value, "as_list"):
        return plain(value.as_list())
    if hasattr(value, "__iter__"):
        return _plain_container(value)
    raise TypeError(f"cannot observe a {type(value).__name__}: {value!r}")


def observe(name: str, value: Any) -> None:
    """Prints ``name = <json>``; a name can be used once in a program."""
    if name in _seen:
        raise ValueError(f"observed twice: {name}")
    _seen.append(name)
    print(f"{name} = {json.dumps(plain(value), sort_keys=True)}", flush=True)


def observe_error(name: str, function: Callable[[], Any]) -> None:
    """Calls ``function`` and observes what it raised, or that it returned."""
    try:
        function()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is observed
        bases = [base.__name__ for base in type(error).__mro__[1:]]
        message = (str(error).strip().splitlines() or [""])[0]
        observe(
            name,
            {
                "type": type(error).__name__,
                "mro": [base for base in bases if base not in _UNSAID_BASES],
                "message": re.sub(r"0x[0-9a-fA-F]+", "0x...", message)[:_MAX_MESSAGE],
            },
        )
    else:
        observe(name, {"returned": True})
