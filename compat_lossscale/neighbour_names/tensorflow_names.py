# SPDX-License-Identifier: Apache-2.0
"""Public and private names of TensorFlow 1.14 to 2.19, apart from Keras and estimators."""

from __future__ import annotations

from compat_lossscale.neighbour_names.neighbour import THE_SAME, Neighbour

_TRACKING = "tensorflow.python.training.tracking"
_TRACKABLE = "tensorflow.python.trackable"
_CHECKPOINT = "tensorflow.python.checkpoint"
_MOVED = "TensorFlow 2.9"

METHODS = (
    Neighbour(
        "tensorflow.distribute.Strategy.experimental_run_v2",
        "TensorFlow 2.3",
        "compat_lossscale.neighbours.removed_members:experimental_run_v2",
        THE_SAME,
        "Strategy.run",
        "tensorflow.distribute.Strategy.run",
    ),
    Neighbour(
        "tensorflow.data.experimental.OptimizationOptions.map_vectorization",
        "TensorFlow 2.6",
        "compat_lossscale.neighbours.removed_members:map_vectorization",
        "it is set and read, and does nothing: it made datasets faster, and did not change them",
        "nothing",
    ),
    Neighbour(
        "tensorflow.keras.Model.compute_loss",
        "TensorFlow 2.8",
        "compat_lossscale.neighbours.changed_behaviour:ComputeLoss",
        "a later base class' method of that name is found, as before Keras had one itself",
        "another name, or the mixin as the first base class",
    ),
)
"""Attributes of classes. What a class has is not replaced, except the last of these."""

NAMES = (
    Neighbour(
        "tensorflow.data.experimental.MapVectorizationOptions",
        "TensorFlow 2.6",
        "compat_lossscale.neighbours.removed_members:MapVectorizationOptions",
        "it is set and read, and does nothing",
        "nothing",
    ),
    Neighbour(
        "tensorflow.keras.__version__",
        "TensorFlow 2.15",
        "tf_keras:__version__",
        "the version of tf-keras",
        "tf_keras.__version__",
    ),
    Neighbour(
        "tensorflow.contrib",
        "TensorFlow 1.15",
        "",
        "what was worth keeping of tf.contrib moved to packages of its own, under other names",
        "See https://github.com/tensorflow/community/blob/master/rfcs/20180907-contrib-sunset.md. "
        "Of tf.contrib.mixed_precision, `compat-lossscale migrate --explain LS603` says more",
    ),
)
"""Names in modules that are still there."""

MODULES = (
    Neighbour(f"{_TRACKING}.*", _MOVED, _TRACKABLE, THE_SAME, "tf.train.Checkpoint, tf.Module"),
    Neighbour(
        f"{_TRACKING}.tracking.*",
        _MOVED,
        f"{_TRACKABLE}.autotrackable, {_TRACKABLE}.resource, {_TRACKABLE}.asset",
        THE_SAME,
        "tf.Module",
    ),
    Neighbour(
        f"{_TRACKING}.util.*",
        _MOVED,
        f"{_CHECKPOINT}.checkpoint, {_CHECKPOINT}.util",
        THE_SAME,
        "tf.train.Checkpoint",
    ),
    Neighbour(
        f"{_TRACKING}.graph_view.*",
        _MOVED,
        f"compat_lossscale.neighbours.graph_view, {_CHECKPOINT}.graph_view",
        THE_SAME,
        "tf.train.Checkpoint",
    ),
    Neighbour(
        "tensorflow.python.eager.profiler.*",
        "TensorFlow 2.19",
        "compat_lossscale.neighbours.eager_profiler",
        "profiles are files of the newer form, which TensorBoard reads",
        "tf.profiler.experimental",
    ),
    Neighbour(
        "tensorflow.contrib.*",
        "TensorFlow 1.15",
        "",
        NAMES[-1].faithful,
        NAMES[-1].instead,
    ),
)
"""Modules, with what is below them."""
