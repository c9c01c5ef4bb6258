# SPDX-License-Identifier: Apache-2.0
"""What a rule declares that can make it fire is never less than what it finds in a full parse."""

from __future__ import annotations

import ast
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lossscale_codemods.analysis import approximate_names
from lossscale_codemods.analysis.approximate_names import CannotTellError
from lossscale_codemods.analysis.scanned_source import ScannedSource
from lossscale_codemods.prescan import file_scan
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.rules.registry import all_rules, rules_for
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.options import Options

from tests.codemods.prescan.test_byte_scan import OLD_PATHS
from tests.codemods.test_patterns import ROWS

EXAMPLES = [case.before for rule in all_rules() for case in (*rule.valid, *rule.invalid)]


def sees(
    program: str, relative: dict[str, str] | None = None, target: Target = Target.TF_KERAS
) -> bool:
    """Whether a rule for a target can fire, or it cannot be told."""
    look_up = relative.get if relative is not None else None
    source = ScannedSource(ast.parse(program), program, look_up)
    try:
        return any(rule.can_fire(source) for rule in rules_for(target))
    except CannotTellError:
        return True


def agrees(
    program: str, relative: dict[str, str] | None = None, target: Target = Target.TF_KERAS
) -> bool:
    """Whether the prescan says what a full parse says, or nothing."""
    look_up = relative.get if relative is not None else None
    options = Options(target)
    with mock.patch.object(file_scan, "can_hold_old_name", return_value=True):
        first = file_scan.scan_source(program.encode(), look_up, options.selection)
    # A full parse costs much more.
    return first is None or first == migrate_fully(program.encode(), options, look_up)


@pytest.mark.parametrize("program", [*EXAMPLES, *(row.before for row in ROWS)])
def test_what_a_full_look_finds_is_seen(program: str) -> None:
    assert all(agrees(program, target=target) for target in Target)


@pytest.mark.parametrize("path", OLD_PATHS[::4])  # Full looks at all of them take a minute.
def test_every_old_name_is_seen(path: str) -> None:
    head, _, last = path.rpartition(".")
    root, _, rest = path.partition(".")
    middle, _, end = rest.rpartition(".")
    in_parts = "".join(f" \\\n  .{part}" for part in rest.split("."))
    in_class = (
        f"import {root} as t\nclass A:\n    def __init__(self):\n        self.m = t.{middle}\n"
        f"    def f(self):\n        return self.m.{end}('x')\n"
    )
    seen = 0
    for program in (
        f"import {path}\n",
        f"from {head} import {last} as other\n",
        f"from {head} import *\n{last}('x')\n",
        f"import {root} as t\nt.{rest}('x')\n",
        f"import {root} as t\nt{in_parts}\n",
        f"import {root} as t\nm = t.{middle}\nm.{end}('x')\n",
        f"import {root} as t\na, (m, c) = 1, (t.{middle}, 2)\nm.{end}('x')\n",
        f"import {root} as t\nm = None\nif x:\n    m = t.{middle} if y else z\nm.{end}('x')\n",
        f"import {root} as t\nprint((m := x or t.{middle}), m.{end})\n",
        in_class,
        f"def f():\n    from {head} import {last}\n    return {last}\n",
        f"import {root} as t\nx: 'list[t.{rest}]' = f()\n",
        f"def f(x: '{path}') -> None:\n    import {root}\n",
        f"x == '{path}'\n",
        f"mock.patch('{path}.f')\n",
        f"# {path}\n",
    ):
        seen += file_scan.scan_source(program.encode()) is None
        assert agrees(program), program
    assert seen >= 10


PIECES = [
    "import tensorflow as tf",
    "import tensorflow.compat.v1 as tf",
    "from tensorflow import keras",
    "from tensorflow.keras import mixed_precision",
    "from tensorflow.keras import mixed_precision as mp",
    "from tensorflow.keras.mixed_precision import *",
    "from tensorflow.train import experimental as mp",
    "from . import mp",
    "from .compat import tf",
    "from .compat import opt as LSO",
    "tf = tf.compat.v1",
    "mp = keras.mixed_precision",
    "x = mp",
    "x = mp.experimental",
    "mp = x if keras else tf.keras.mixed_precision",
    "keras.mp = x",
    "opt = x.LossScaleOptimizer(y, 'dynamic')",
    "opt = mixed_precision.LossScaleOptimizer(y)",
    "opt = LSO(y, loss_scale=8)",
    "print(opt.loss_scale())",
    "print(opt._optimizer, opt.get_config()['loss_scale'])",
    "print(opt.loss_scale.multiplier)",
    "print(model.dtype_policy.loss_scale)",
    "if isinstance(policy, mp.Policy):\n    scale = policy.loss_scale",
    "if isinstance(model.dtype_policy, x):\n    scale = model.dtype_policy.loss_scale",
    "x = mixed_precision.Policy",
    "x.set_policy('float32')",
    "keras.mp.Policy('float32')",
    "policy = mixed_precision.Policy('float32')",
    "print(policy.loss_scale, policy.should_cast_variables)",
    "def f(opt: 'mixed_precision.LossScaleOptimizer'): print(opt._optimizer)",
    "x.DynamicLossScale()",
    "hasattr(mixed_precision, 'experimental')",
    "type(opt).__name__ == 'LossScaleOptimizer'",
    "tf.contrib.mixed_precision.LossScaleManager",
    "import numpy as np",
    "x = np.float, np.find_common_type",
    "from tensorflow.python.keras import layers",
    "mp.experimental_run_v2(layers.Dense)",
]
RELATIVE = {
    ".mp": "tensorflow.keras.mixed_precision.experimental",
    ".compat.tf": "tensorflow.compat.v1",
    ".compat.opt": "tensorflow.keras.mixed_precision.LossScaleOptimizer",
}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8))
def test_random_programs(pieces: list[str]) -> None:
    program = "\n".join(pieces) + "\n"
    assert agrees(program, RELATIVE), program


def test_the_new_class_is_seen_where_it_becomes_another() -> None:
    program = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
    assert sees(program, target=Target.KERAS3)
    assert sees(program, target=Target.KERAS3_ALONE)
    assert not sees(program, target=Target.TF_KERAS)


def test_nothing_is_seen_where_nothing_is() -> None:
    for program in (
        "import tensorflow as tf\ntf.keras.mixed_precision.set_global_policy('mixed_float16')\n",
        "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n",
        "from tensorflow.keras import mixed_precision\nfrom jax import experimental\n",
        "node = node.next\nself.x = self.x.x\n",
        "if isinstance(m.dtype_policy, policy.V1):\n    scale = m.dtype_policy.loss_scale\n",
    ):
        assert not sees(program), program


@pytest.mark.parametrize(
    "program",
    [
        "if isinstance(m.dtype_policy, {}):\n    scale = m.dtype_policy.loss_scale",
        "if isinstance(m.dtype_policy, {}):\n    x = 1\n    scale = m.dtype_policy.loss_scale",
        "if isinstance(m.dtype_policy, {}):\n    scale = n.dtype_policy.loss_scale",
        "if isinstance(m.dtype_policy, {}):\n    scale = lambda: m.dtype_policy.loss_scale",
        "if isinstance(m.dtype_policy, {}):\n    x\nelse:\n    scale = m.dtype_policy.loss_scale",
        "if not isinstance(m.dtype_policy, {}):\n    scale = m.dtype_policy.loss_scale",
        "if isinstance(m.dtype_policy, (A, {})):\n    scale = m.dtype_policy.loss_scale",
        "if isinstance(m.dtype_policy, B):\n    scale = m.dtype_policy.loss_scale.x if {} else 1",
        "while isinstance(m.dtype_policy, {}):\n    scale = m.dtype_policy.loss_scale",
    ],
)
@pytest.mark.parametrize("kind", ["V1", "policy.V1", "Policy", "Alias", "mp.Policy", "Star"])
def test_a_read_behind_a_test_is_told_as_a_full_look_tells_it(program: str, kind: str) -> None:
    head = (
        "from tensorflow.keras import mixed_precision as mp\nfrom x import policy, V1\n"
        "from tensorflow.keras.mixed_precision import Policy\nAlias = Star = mp.Policy\n"
    )
    assert agrees(head + program.format(kind) + "\n")


def test_what_has_no_end_counts_as_seen() -> None:
    assert sees("import tensorflow as tf\ntf = tf.compat.v1\n")


def test_what_does_not_parse_gets_a_full_look() -> None:
    for source in (b"print 'LossScale'\n", b"LossScale\0"):
        assert file_scan.scan_source(source) is None


def test_every_step_to_an_old_name_is_followed() -> None:
    for path in OLD_PATHS:
        parts = path.split(".")
        for end in range(1, len(parts)):
            above = ".".join(parts[:end])
            assert names.can_lead_to_old_name(above) or approximate_names._matters(above), above
