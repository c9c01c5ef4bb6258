# SPDX-License-Identifier: Apache-2.0
"""The function that a program gets for loss scales which are known only when it runs."""

from __future__ import annotations

import ast
import textwrap

from lossscale_codemods.tables.names import HELPER

HELPER_SOURCE = '''
def _loss_scale_arguments(loss_scale):
    """Returns LossScaleOptimizer's arguments for an old loss scale."""
    if loss_scale == "dynamic":
        return {}
    if isinstance(loss_scale, (int, float)):
        return {"dynamic": False, "initial_scale": loss_scale}
    if type(loss_scale).__name__ not in ("FixedLossScale", "DynamicLossScale"):
        raise ValueError(f"There is no equivalent for this loss scale: {loss_scale!r}")
    config = loss_scale.get_config()
    if "loss_scale_value" in config:
        return {"dynamic": False, "initial_scale": config["loss_scale_value"]}
    if config.get("multiplier") != 2:
        raise ValueError("The multiplier of a DynamicLossScale must be 2.")
    return {
        "initial_scale": config["initial_loss_scale"],
        "dynamic_growth_steps": config["increment_period"],
    }
'''
"""For values that only the running program knows: it takes what the old API took, and no more."""


SHORT_HELPER = "_dynamic_or_fixed"
_SHORT_SOURCE = '''
def _dynamic_or_fixed(loss_scale):
    """Returns LossScaleOptimizer's arguments for "dynamic" or a number."""
    return {} if loss_scale == "dynamic" else {"dynamic": False, "initial_scale": loss_scale}
'''
SOURCES = {HELPER: HELPER_SOURCE, SHORT_HELPER: _SHORT_SOURCE}
"""The functions by their names; the second is for values that are the one or the other."""


def helper_source(name: str) -> str:
    """Returns the source of a helper under the name that it has in a file."""
    original = name.rstrip("_")
    return SOURCES[original].replace(f"def {original}(", f"def {name}(")


def is_helper(source: str, name: str) -> bool:
    """Whether a function is the helper that an earlier run added."""
    try:
        added = ast.dump(ast.parse(textwrap.dedent(source)))
        return added == ast.dump(ast.parse(helper_source(name)))
    except SyntaxError:
        return False
