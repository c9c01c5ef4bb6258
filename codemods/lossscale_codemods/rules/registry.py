# SPDX-License-Identifier: Apache-2.0
"""Which rules there are: the classes of rules in the modules next to this one."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from lossscale_codemods import rules
from lossscale_codemods.rules.base import Rule
from lossscale_codemods.tables.names import Target


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """Returns one of each rule, in the order in which they are asked."""
    by_id: dict[str, Rule] = {}
    for rule in _discovered():
        if rule.id in by_id:
            raise RuntimeError(f"Two rules have the id {rule.id}.")
        by_id[rule.id] = rule
    return tuple(sorted(by_id.values(), key=lambda rule: (rule.order, rule.id)))


def rules_for(target: Target) -> tuple[Rule, ...]:
    """Returns those of the rules that are for a target, in the order in which they are asked."""
    return tuple(rule for rule in all_rules() if target in rule.targets)


@functools.cache
def _discovered() -> tuple[Rule, ...]:
    discovered = []
    for module_info in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, Rule)
                and value is not Rule
                and value.__module__ == module.__name__
                and hasattr(value, "id")
            ):
                discovered.append(value())
    return tuple(discovered)
