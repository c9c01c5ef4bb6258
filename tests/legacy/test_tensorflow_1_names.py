# SPDX-License-Identifier: Apache-2.0
"""Names that only TensorFlow 1 had are explained where a program asks for them, and not found."""

from __future__ import annotations

import json

from tests.support import run_code

ONLY_IN_V1 = (
    "placeholder", "train.AdamOptimizer", "nn.dynamic_rnn", "summary.FileWriter",
    "train.experimental.MixedPrecisionLossScaleOptimizer",
)  # fmt: skip
IN_NEITHER = ("nonsense", "train.nonsense")


def test_a_name_of_tensorflow_1_is_explained_until_uninstall() -> None:
    said = run_code(
        f"""
        import json, operator, compat_lossscale
        compat_lossscale.install()
        import tensorflow as tf

        def errors():
            said = {{}}
            for path in {(*ONLY_IN_V1, *IN_NEITHER)!r}:
                place, _, name = path.rpartition(".")
                module = operator.attrgetter(place)(tf) if place else tf
                assert not hasattr(module, name) and name not in dir(module), path
                try:
                    getattr(module, name)
                except AttributeError as error:
                    said[path] = str(error)
            return said

        explained = errors()
        compat_lossscale.uninstall()
        print(json.dumps([explained, errors()]))
        """,
        tensorflow_may_be_imported=True,
    )
    explained, afterwards = json.loads(said.splitlines()[-1])
    for name in ONLY_IN_V1:
        assert explained[name].startswith(f"tf.{name} ended with TensorFlow 1: "), explained
        assert "compat-lossscale run --tf1" in explained[name]
        assert f"tf.compat.v1.{name}" in explained[name]
        assert "has no attribute" in afterwards[name]
    for name in IN_NEITHER:
        assert "has no attribute" in explained[name]
