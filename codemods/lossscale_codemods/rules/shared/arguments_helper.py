# SPDX-License-Identifier: Apache-2.0
"""The function that a program gets for loss scales which are known only when it runs."""

from __future__ import annotations

import ast
import textwrap

from lossscale_codemods.vocabulary.names import HELPER

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


def is_helper(source: str, name: str) -> bool:
    """Whether a function is the helper that an earlier run added."""
    expected = HELPER_SOURCE.replace(f"def {HELPER}(", f"def {name}(")
    try:
        return ast.dump(ast.parse(textwrap.dedent(source))) == ast.dump(ast.parse(expected))
    except SyntaxError:
        return False
