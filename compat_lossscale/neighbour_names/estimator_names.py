# SPDX-License-Identifier: Apache-2.0
"""`tf.estimator`, which TensorFlow 2.16 left out; and what its package needs of TensorFlow."""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import Neighbour

_OURS = "compat_lossscale.neighbours"
_API = "tensorflow_estimator._api"
_UNTIL = "TensorFlow 2.15"
_FAITHFUL = (
    "the package tensorflow-estimator 2.15, which has to be installed; not on TPUs, and no "
    "strategy over several workers"
)
_INSTEAD = "tf.keras.Model, with Model.fit"

NAMES = (
    Neighbour(
        "tensorflow.estimator", _UNTIL, f"{_OURS}.estimator_api:estimator_v2", _FAITHFUL, _INSTEAD
    ),
    Neighbour(
        "tensorflow.compat.v1.estimator",
        _UNTIL,
        f"{_OURS}.estimator_api:estimator_v1",
        _FAITHFUL,
        _INSTEAD,
    ),
    Neighbour(
        "tensorflow.python.util.tf_export.ESTIMATOR_API_NAME",
        _UNTIL,
        f"{_OURS}.estimator_training:ESTIMATOR_API_NAME",
        "it marks names of tensorflow-estimator, for no use at run time",
        "nothing",
    ),
)
"""Names in modules that are still there."""

MODULES = (
    Neighbour("tensorflow.estimator.*", _UNTIL, f"{_API}.v2.estimator", _FAITHFUL, _INSTEAD),
    Neighbour(
        "tensorflow.compat.v2.estimator.*", _UNTIL, f"{_API}.v2.estimator", _FAITHFUL, _INSTEAD
    ),
    Neighbour(
        "tensorflow.compat.v1.estimator.*", _UNTIL, f"{_API}.v1.estimator", _FAITHFUL, _INSTEAD
    ),
    Neighbour(
        "tensorflow.python.estimator.*",
        _UNTIL,
        "tensorflow_estimator.python.estimator",
        _FAITHFUL,
        _INSTEAD,
    ),
    Neighbour(
        "tensorflow.python.distribute.estimator_training.*",
        _UNTIL,
        f"{_OURS}.estimator_training",
        "for one worker, with any strategy; a cluster is an error",
        _INSTEAD,
    ),
    *(
        Neighbour(
            f"tensorflow.python.tpu.{name}.*",
            _UNTIL,
            f"{_OURS}.estimator_tpu",
            "it can be imported, so that the rest of tensorflow-estimator can; not used",
            "tf.keras.Model, with tf.distribute.TPUStrategy",
        )
        for name in ("tpu_embedding", "tpu_embedding_gradient", "session_support")
    ),
)
"""Modules, with what is below them."""
