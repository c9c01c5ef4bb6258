# SPDX-License-Identifier: Apache-2.0
"""Which rules there are: the classes of rules in the modules next to this one."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from lossscale_codemods import rules
from lossscale_codemods.rules.base import Rule


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """Returns one of each rule, in the order in which they are asked."""
    found: dict[str, Rule] = {}
    for module_info in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Rule)
                and value is not Rule
                and value.__module__ == module.__name__
            ):
                rule = value()
                if rule.id in found:
                    raise RuntimeError(f"Two rules have the id {rule.id}.")
                found[rule.id] = rule
    return tuple(sorted(found.values(), key=lambda rule: (rule.order, rule.id)))


def documentation(rule: Rule) -> str:
    """Returns a rule's documentation: the docstring of its module."""
    return (importlib.import_module(type(rule).__module__).__doc__ or "").strip()
