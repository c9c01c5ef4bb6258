# SPDX-License-Identifier: Apache-2.0
"""The table of old names for the documentation: each with the name of today that it becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.rules.registry import all_rules
from lossscale_codemods.tables.names import Meaning, Target, lookup

if TYPE_CHECKING:
    from collections.abc import Iterator

_INTRODUCTION = """\
<!-- Made by `python -m lossscale_codemods.reports.name_table`; do not edit. -->
# Old and new names

`compat-lossscale migrate` writes the names in the second column, and `--target compat` those in the
third, which need this package. The name alone is not enough: constructors take other arguments, and
`loss_scale` is no longer called. The [rules](codemod/rules/index.md) say what else changes, and
[other removed names](neighbours.md) has the names that are not about loss scaling.

| Old | New | `--target compat` | Rule |
| --- | --- | --- | --- |
"""
_KERAS = ("LossScaleOptimizer", "Policy", "set_policy", "global_policy", "get_layer_policy")
_SCALES = ("LossScale", "FixedLossScale", "DynamicLossScale")
_REWRITE = ("enable_mixed_precision_graph_rewrite", "disable_mixed_precision_graph_rewrite")
_V1 = (*_SCALES, "MixedPrecisionLossScaleOptimizer", *_REWRITE)
_PRIVATE_KERAS = "tensorflow.python.keras.mixed_precision.experimental"
_PRIVATE_V1 = "tensorflow.python.training.experimental"
HOMES = {
    "tensorflow.keras.mixed_precision.experimental": _KERAS,
    "tensorflow.compat.v1.keras.mixed_precision.experimental": _KERAS,
    f"{_PRIVATE_KERAS}.loss_scale_optimizer": ("LossScaleOptimizer",),
    f"{_PRIVATE_KERAS}.policy": ("Policy", "set_policy", "global_policy", "policy_scope"),
    _PRIVATE_KERAS: ("autocast_variable", "device_compatibility_check", "test_util"),
    f"{_PRIVATE_KERAS}.get_layer_policy": ("get_layer_policy",),
    "tensorflow.mixed_precision.experimental": _SCALES,
    "tensorflow.train.experimental": _V1,
    "tensorflow.compat.v1.mixed_precision.experimental": _SCALES,
    "tensorflow.compat.v1.train.experimental": _V1,
    f"{_PRIVATE_V1}.loss_scale": (*_SCALES, "get"),
    f"{_PRIVATE_V1}.loss_scale_optimizer": ("MixedPrecisionLossScaleOptimizer",),
    f"{_PRIVATE_V1}.mixed_precision": _REWRITE,
    "tensorflow.contrib.mixed_precision": (
        "LossScaleOptimizer",
        "LossScaleManager",
        "FixedLossScaleManager",
        "ExponentialUpdateLossScaleManager",
    ),
}
"""The modules in which old names stood, and the names."""
_IN_WORDS = {Meaning.LAYER_POLICY: "`layer.dtype_policy`", Meaning.CONTRIB: "see the rule"}


def page() -> str:
    """Returns the page as Markdown."""
    rows: dict[str, list[str]] = {}
    for old, row in _rows():
        rows.setdefault(row, []).append(f"`{old}`")
    lines = (f"| {'<br>'.join(names)} | {row} |\n" for row, names in rows.items())
    return _INTRODUCTION + "".join(lines)


def _rows() -> Iterator[tuple[str, str]]:
    """Yields each old name, and the other cells of its row."""
    rule_of = {meaning: rule.id for rule in all_rules() for meaning in rule.explains}
    for home, members in HOMES.items():
        for member in members:
            old = lookup(f"{home}.{member}")
            if old is None:
                raise LookupError(f"{home}.{member} is no old name.")
            new = f"`{_short(old.new[0])}`" if old.new else _IN_WORDS.get(old.meaning, "none")
            compat = old.new_path(Target.COMPAT)
            rule = rule_of[old.meaning]
            cells = (new, f"`{compat}`" if compat else "none", _link(rule))
            yield _short(old.path), " | ".join(cells)


def _short(path: str) -> str:
    if path.startswith("tensorflow.python."):
        return path
    return path.replace("tensorflow.", "tf.", 1)


def _link(rule_id: str) -> str:
    return f"[{rule_id}](codemod/rules/{rule_id.lower()}.md)"


if __name__ == "__main__":
    print(page(), end="")
