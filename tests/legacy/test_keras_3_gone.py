# SPDX-License-Identifier: Apache-2.0
"""Names that Keras 3 lacks are explained wherever a program asks for them, and not to be found."""

from __future__ import annotations

import json

import pytest

from compat_lossscale.neighbour_names.keras_names import GONE, GONE_V1, instead_of
from tests.support import run_code

ASKED = {
    "tf.keras.layers.CuDNNLSTM": "Use keras.layers.LSTM with its default arguments",
    "tf.compat.v1.keras.layers.CuDNNGRU": "Use keras.layers.GRU",
    "from tensorflow.keras.layers import CuDNNLSTM": "Use keras.layers.LSTM",
    "from tensorflow.compat.v1.keras.layers import CuDNNLSTM": "Use keras.layers.LSTM",
    "from keras.layers import CuDNNLSTM": "Use keras.layers.LSTM",
    "import tensorflow.keras.layers as layers; layers.CuDNNGRU": "Use keras.layers.GRU",
    "from tensorflow.keras import backend as K; K.learning_phase()": "the argument `training`",
    "import tensorflow.keras.utils.experimental": "migrating_to_keras_3",
    "tf.keras.layers.DenseFeatures": "migrating_to_keras_3",
    "tf.keras.metrics.experimental": "migrating_to_keras_3",
}
ABSENT = ("tf.keras.layers.CuDNNLSTM", "tf.keras.metrics.experimental", "tf.keras.layers.Nonsense")
SERVED = {
    "tf.keras.layers.experimental.preprocessing.Rescaling": "layers.Rescaling",
    "tf.compat.v1.keras.layers.experimental.preprocessing.RandomFlip": "layers.RandomFlip",
    "tf.keras.callbacks.experimental.BackupAndRestore": "callbacks.BackupAndRestore",
    "tf.keras.experimental.CosineDecay": "optimizers.schedules.CosineDecay",
    "tf.keras.losses.mean_squared_error": "losses.MeanSquaredError().fn",
    "tf.keras.metrics.log_cosh": "losses.LogCosh().fn",
}
IMPORTED = (
    "from tensorflow.keras.layers.experimental.preprocessing import Resizing as it",
    "from tensorflow.keras.layers.experimental import preprocessing; it = preprocessing.Resizing",
    "import tensorflow.keras.layers.experimental.preprocessing as p; it = p.Resizing",
    "from keras.layers.experimental import preprocessing; it = preprocessing.Resizing",
)


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


def test_what_keras_3_has_elsewhere_is_served() -> None:
    run_code(
        f"""
        import compat_lossscale
        compat_lossscale.install(keras=3)
        import keras, tensorflow as tf
        for old, new in {SERVED!r}.items():
            assert eval(old) is eval("keras." + new), old
        for code in {IMPORTED!r}:
            scope = {{}}
            exec(code, scope)
            assert scope["it"] is keras.layers.Resizing, code
        experimental = tf.keras.layers.experimental
        assert not hasattr(experimental, "RandomFourierFeatures")
        try:
            experimental.preprocessing.CategoryCrossing
        except AttributeError as error:
            assert "HashedCrossing" in str(error)
        compat_lossscale.uninstall()
        assert not hasattr(tf.keras.layers, "experimental")
        """,
        tensorflow_may_be_imported=True,
    )


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
