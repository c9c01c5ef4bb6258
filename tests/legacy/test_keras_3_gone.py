# SPDX-License-Identifier: Apache-2.0
"""Names that Keras 3 lacks are explained wherever a program asks for them, and not to be found."""

from __future__ import annotations

import json

import pytest

from compat_lossscale.legacy.neighbour_names.keras_names import GONE, GONE_V1, instead_of
from tests.support import run_code

ASKED = {
    "tf.keras.layers.CuDNNLSTM": "Use keras.layers.LSTM with its default arguments",
    "tf.compat.v1.keras.layers.CuDNNGRU": "Use keras.layers.GRU",
    "from tensorflow.keras.layers import CuDNNLSTM": "Use keras.layers.LSTM",
    "from tensorflow.compat.v1.keras.layers import CuDNNLSTM": "Use keras.layers.LSTM",
    "from keras.layers import CuDNNLSTM": "Use keras.layers.LSTM",
    "import tensorflow.keras.layers as layers; layers.CuDNNGRU": "Use keras.layers.GRU",
    "from tensorflow.keras import backend as K; K.learning_phase()": "the argument `training`",
    "import tensorflow.keras.experimental": "Use keras.optimizers.schedules",
    "tf.keras.layers.DenseFeatures": "migrating_to_keras_3",
    "tf.keras.losses.mean_squared_error": "Use tf.keras.losses.MSE",
    "tf.keras.experimental": "Use keras.optimizers.schedules",
}
ABSENT = ("tf.keras.layers.CuDNNLSTM", "tf.keras.experimental", "tf.keras.layers.Nonsense")


def test_each_way_to_ask_says_what_to_use() -> None:
    said = run_code(
        f"""
        import json, compat_lossscale
        compat_lossscale.install(keras=3)
        import tensorflow as tf
        said = {{}}
        for code in {list(ASKED)!r}:
            try:
                exec(code, {{"tf": tf}})
            except (AttributeError, ImportError) as error:
                said[code] = str(error)
        for path in {ABSENT!r}:
            place, _, name = path.rpartition(".")
            assert not hasattr(eval(place), name) and name not in dir(eval(place)), path
        print(json.dumps(said))
        """,
        tensorflow_may_be_imported=True,
    )
    found = json.loads(said.splitlines()[-1])
    assert found.keys() == ASKED.keys()
    for code, words in ASKED.items():
        assert words in found[code], (code, found[code])
        assert "run the program on tf-keras: compat-lossscale run, without --keras3" in found[code]


def test_without_neighbours_nothing_is_explained() -> None:
    run_code(
        """
        import compat_lossscale
        compat_lossscale.install(keras=3, neighbours=False)
        import tensorflow as tf
        try:
            tf.keras.layers.CuDNNLSTM
        except AttributeError as error:
            assert "Keras 2" not in str(error)
        """,
        tensorflow_may_be_imported=True,
    )


@pytest.mark.parametrize("below", sorted(GONE | GONE_V1))
def test_every_name_has_something_to_use_instead(below: str) -> None:
    assert instead_of(below)
