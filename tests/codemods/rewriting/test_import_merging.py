# SPDX-License-Identifier: Apache-2.0
"""An import whose module changed joins one that is already there, where it fits."""

from __future__ import annotations

import pytest

from tests.codemods.checks import check_transformed, program

OLD = "from tensorflow.keras.mixed_precision import experimental as prec"
NEW = "from tensorflow.keras import mixed_precision as prec"
USE = "prec.set_policy(name)\n"
USE_NEW = "prec.set_global_policy(name)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"from tensorflow.keras import layers\n{OLD}\n",
            "from tensorflow.keras import layers, mixed_precision as prec\n",
        ),
        (
            f"{OLD}\nimport os\nfrom tensorflow.keras import layers\n",
            "import os\nfrom tensorflow.keras import layers, mixed_precision as prec\n",
        ),
        (
            f"from tensorflow.keras import layers, utils  # noqa\n\n{OLD}\n",
            "from tensorflow.keras import layers, mixed_precision as prec, utils  # noqa\n\n",
        ),
        (
            f"from tensorflow.keras import optimizers, layers\n{OLD}\n",
            "from tensorflow.keras import optimizers, layers, mixed_precision as prec\n",
        ),
        (
            f"from tensorflow.keras import (layers, Model,)\n{OLD}\n",
            "from tensorflow.keras import (layers, Model, mixed_precision as prec,)\n",
        ),
        (
            f"from tensorflow.keras import (\n    layers,  # all\n    optimizers\n)\n{OLD}\n",
            (
                "from tensorflow.keras import (\n    layers,  # all\n"
                "    mixed_precision as prec,\n    optimizers\n)\n"
            ),
        ),
        (
            f"from tensorflow.keras import (\n    layers,\n)\n{OLD}\n",
            "from tensorflow.keras import (\n    layers,\n    mixed_precision as prec,\n)\n",
        ),
    ],
)
def test_one_import_instead_of_two(before: str, after: str) -> None:
    check_transformed(before + USE, after + USE_NEW)
    start = "def f(name):\n"
    indent = lambda text: "".join(f"    {x}" if x.strip() else x for x in text.splitlines(True))  # noqa: E731  # as programs write it
    check_transformed(start + indent(before + USE), start + indent(after + USE_NEW))
    crlf = [(text[0] + text[1]).replace("\n", "\r\n") for text in ((before, USE), (after, USE_NEW))]
    check_transformed(*crlf)


@pytest.mark.parametrize(
    "lines",
    [
        "from tensorflow.keras import layers\nsetup()\n{}\n",
        "from tensorflow.keras import layers\n# Mixed precision:\n{}\n",
        "from tensorflow.keras import layers\n{}  # for fp16\n",
        "from tensorflow.keras import layers, \\\n    optimizers\n{}\n",
        "from tensorflow.keras import (\n    layers,  # all\n)\n{}\n",
        "from tensorflow.keras import *\n{}\n",
        "from keras import layers\n{}\n",
        "if x:\n    from tensorflow.keras import layers\n{}\n",
        "from tensorflow.keras import layers; import os\n{}\n",
        "from tensorflow.keras import layers, optimizers, callbacks, losses, metrics, mod\n{}\n",
        "from tensorflow.keras import layers as prec\n{}\n",
    ],
)
def test_what_stays_on_a_line_of_its_own(lines: str) -> None:
    check_transformed(lines.format(OLD) + USE, lines.format(NEW) + USE_NEW)


def test_two_old_imports_and_one_host() -> None:
    check_transformed(
        program("""
        from os import path, sep
        from tensorflow.keras.mixed_precision import Policy
        from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
        from tensorflow.keras.mixed_precision.experimental import set_policy
        set_policy(Policy(name))
        opt = LossScaleOptimizer(opt, "dynamic")
        """),
        program("""
        from os import path, sep
        from tensorflow.keras.mixed_precision import LossScaleOptimizer, Policy
        from tensorflow.keras.mixed_precision import set_global_policy as set_policy
        set_policy(Policy(name))
        opt = LossScaleOptimizer(opt, "dynamic")
        """).replace(', "dynamic"', ""),
    )


def test_two_imports_join_the_same_one() -> None:
    check_transformed(
        """
        from os import path, sep
        from tensorflow.keras.mixed_precision.experimental import global_policy
        from tensorflow.keras.mixed_precision import Policy
        from tensorflow.keras.mixed_precision.experimental import Policy as P
        pair = Policy, P(global_policy().name)
        """,
        """
        from os import path, sep
        from tensorflow.keras.mixed_precision import Policy, Policy as P, global_policy
        pair = Policy, P(global_policy().name)
        """,
    )


def test_imports_that_all_move_to_one_module() -> None:
    check_transformed(
        """
        from tensorflow.python.keras import activations
        from tensorflow.python.keras.engine.base_layer import Layer
        from tensorflow.python.keras.engine.input_spec import InputSpec as Spec
        from tensorflow.python.keras.layers import Conv1D, Dense
        from tensorflow.keras.mixed_precision import experimental as prec
        prec.set_policy(activations.relu, Layer, Spec, Conv1D, Dense)
        """,
        """
        from tensorflow.keras import activations, mixed_precision as prec
        from tensorflow.keras.layers import Conv1D, Dense, InputSpec as Spec, Layer
        prec.set_global_policy(activations.relu, Layer, Spec, Conv1D, Dense)
        """,
    )
