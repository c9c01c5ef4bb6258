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
PACKAGE = ("tensorflow_estimator", "pip install --no-deps 'tensorflow-estimator==2.15.*'")
"""What serves it, and the command that installs that."""

NAMES = (
    *(
        Neighbour(
            name,
            _UNTIL,
            f"{_OURS}.estimator_training:estimator_{api}",
            _FAITHFUL,
            _INSTEAD,
            package=PACKAGE,
        )
        for name, api in (("tensorflow.estimator", "v2"), ("tensorflow.compat.v1.estimator", "v1"))
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
    *(
        Neighbour(f"{name}.*", _UNTIL, served_by, _FAITHFUL, _INSTEAD, package=PACKAGE)
        for name, served_by in (
            ("tensorflow.estimator", f"{_API}.v2.estimator"),
            ("tensorflow.compat.v2.estimator", f"{_API}.v2.estimator"),
            ("tensorflow.compat.v1.estimator", f"{_API}.v1.estimator"),
            ("tensorflow.python.estimator", "tensorflow_estimator.python.estimator"),
        )
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
