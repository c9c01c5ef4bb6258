# SPDX-License-Identifier: Apache-2.0
"""Under `run`, calls in old signatures, and of removed members, give what they gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import python, run_code

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "old-calls.json").read_text("utf-8"))
EXPECTED = {
    # TensorFlow 2.3 refused some that 2.1 took.
    name: given if given != "TypeError" else RECORDED["2.1.4"][name]
    for name, given in RECORDED["2.3.4"].items()
}


@pytest.fixture(scope="module")
def given() -> dict[str, object]:
    """What the calls give under `run`."""
    done = python(
        "-m",
        "compat_lossscale",
        "run",
        str(HERE / "old_calls.py"),
        timeout=300,
        tensorflow_may_be_imported=True,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("name", EXPECTED)
def test_old_calls_give_what_they_gave(name: str, given: dict[str, object]) -> None:
    assert given[name] == EXPECTED[name]


def test_calls_of_today_and_others_go_through_and_all_is_taken_back() -> None:
    run_code(
        """
        import compat_lossscale, os, tempfile
        import numpy as np
        import tensorflow as tf
        from tensorflow.keras.preprocessing import text
        from tf_keras.src.utils import losses_utils
        keras = tf.keras
        def there():
            return (
                keras.Model.save, keras.models.save_model, keras.losses.BinaryCrossentropy.__init__,
                keras.utils.serialize_keras_object, tf.nn.compute_average_loss, text.one_hot,
                keras.callbacks.TensorBoard.__init__, hasattr(keras.Sequential, "predict_proba"),
                hasattr(keras.Model, "__getattr__"), keras.callbacks.BackupAndRestore.on_train_end,
                keras.layers.Normalization.__init__, losses_utils.compute_weighted_loss,
                np.reshape, np.percentile,
            )
        before = there()
        compat_lossscale.install()
        assert keras.losses.SparseCategoricalCrossentropy(True, 0).get_config()["ignore_class"] == 0
        assert keras.losses.BinaryCrossentropy(True, 0.0, 1).get_config()["axis"] == 1
        assert keras.callbacks.TensorBoard("d", 0, True, False, True).update_freq == "epoch"
        config = keras.saving.serialize_keras_object(keras.layers.Dense(2))
        assert keras.utils.deserialize_keras_object(config).units == 2
        assert keras.utils.deserialize_keras_object(config=config, safe_mode=True).units == 2
        assert "registered_name" in keras.utils.serialize_keras_object(obj=keras.layers.ReLU())
        assert text.one_hot("a", 2) == text.one_hot(text="a", n=2) == [1]
        assert np.reshape([1, 2], newshape=(2, 1)).shape == (2, 1)
        assert np.percentile([1, 2], 40, interpolation="lower") == 1
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            model.save("a.keras")
            assert open("a.keras", "rb").read(2) == b"PK"
            model.save("b.keras", True, "h5")
            model.save("c", save_format="h5", include_optimizer=False)
            assert open("b.keras", "rb").read(4) == open("c", "rb").read(4) == b"\\x89HDF"
        for arguments in ({"target_tensors": [1]}, {"distribute": 1}):
            try:
                model.compile("sgd", "mse", **arguments)
            except ValueError as error:
                [name] = arguments
                assert f"has no {name} any more. " in str(error), error
            else:
                raise AssertionError(arguments)
        model.compile("sgd", "mse", target_tensors=None)
        compat_lossscale.uninstall()
        assert there() == before
        """,
        environment={"TF_USE_LEGACY_KERAS": "1"},
        tensorflow_may_be_imported=True,
    )


def test_on_keras_3_keras_is_left_alone() -> None:
    run_code(
        """
        import compat_lossscale
        compat_lossscale.install(keras=3)
        import tensorflow as tf
        assert not hasattr(tf.keras.Model.save, "__wrapped__") or "compat" not in str(
            tf.keras.Model.save.__code__.co_filename)
        for owner, name in (
            (tf.keras.Sequential, "predict_classes"), (tf.keras.layers.Layer, "get_updates_for"),
            (tf.keras.utils, "multi_gpu_model"),
        ):
            assert not hasattr(owner, name), name
        assert not hasattr(getattr(tf.keras, "experimental", None), "LinearCosineDecay")
        assert float(tf.nn.compute_average_loss([1.0], global_batch_size=2.0)) == 0.5
        assert tf.distribute.get_strategy().experimental_make_numpy_dataset
        """,
        tensorflow_may_be_imported=True,
    )
