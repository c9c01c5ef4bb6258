# SPDX-License-Identifier: Apache-2.0
"""Imports are written as the file writes its own."""

from __future__ import annotations

from tests.codemods.checks import check_transformed

OLD = "from tensorflow.keras.mixed_precision.experimental import"
NEW = "from tensorflow.keras.mixed_precision import"


def test_one_name_a_statement_stays_so() -> None:
    check_transformed(
        """
        from tensorflow.keras import layers
        from tensorflow.keras import models
        from tensorflow.keras.mixed_precision import experimental as mp

        mp.set_policy("mixed_float16")
        """,
        """
        from tensorflow.keras import layers
        from tensorflow.keras import models
        from tensorflow.keras import mixed_precision as mp

        mp.set_global_policy("mixed_float16")
        """,
    )


def test_an_import_beside_another_of_its_module_stays_a_line_of_its_own() -> None:
    check_transformed(
        """
        from tensorflow.keras import layers, models
        from tensorflow.keras.mixed_precision import experimental as mp

        mp.set_policy("mixed_float16")
        """,
        """
        from tensorflow.keras import layers, models
        from tensorflow.keras import mixed_precision as mp

        mp.set_global_policy("mixed_float16")
        """,
    )


def test_one_old_name_a_statement_stays_so() -> None:
    lines = ["LossScaleOptimizer", "Policy", "set_policy"]
    check_transformed(
        "".join(f"{OLD} {name}\n" for name in lines) + "set_policy(Policy(name))\n"
        "ok = isinstance(opt, LossScaleOptimizer)\n",
        f"{NEW} LossScaleOptimizer\n{NEW} Policy\n{NEW} set_global_policy as set_policy\n"
        "set_policy(Policy(name))\nok = isinstance(opt, LossScaleOptimizer)\n",
    )
