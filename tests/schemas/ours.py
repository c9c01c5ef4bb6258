# SPDX-License-Identifier: Apache-2.0
"""The schemas of our own JSON, made strict: what they do not name must not be there."""

from __future__ import annotations

import json
from typing import Any

from tests.support import REPOSITORY

SCHEMAS = REPOSITORY / "compat_lossscale" / "schemas"


def strict(value: Any) -> Any:
    """The schema with every object closed, so that a key that is not documented is an error."""
    if isinstance(value, list):
        return [strict(child) for child in value]
    if not isinstance(value, dict):
        return value
    closed = {key: strict(child) for key, child in value.items()}
    return (
        {**closed, "additionalProperties": False}
        if value.get("type") == "object" and ("properties" in value)
        else closed
    )


def check(content: object, command: str) -> None:
    """Fails unless a command's JSON is what its schema says, and all of it is in the schema."""
    from jsonschema import Draft202012Validator  # takes two seconds to import

    schema = json.loads((SCHEMAS / f"{command}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(content)
    Draft202012Validator(strict(schema)).validate(content)
