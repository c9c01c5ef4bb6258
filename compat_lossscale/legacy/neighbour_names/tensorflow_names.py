# SPDX-License-Identifier: Apache-2.0
"""Names of TensorFlow 1.14 to 2.19 that are gone, and functions that take other arguments today.

Loss scaling, and names that moved, are elsewhere. The public names and the signatures are what a
comparison of those of 2.0.4, 2.1.4, 2.2.3, 2.3.4 and 2.4.4 with today's came to
(`tests/legacy/neighbour_names/record_public_names.py`). Where the old versions differ from one
another in the arguments, which do not say which is meant, there is no entry.
"""

from __future__ import annotations

from compat_lossscale.legacy.neighbour_names.neighbour import THE_SAME, Changed, Neighbour

_API = "tensorflow"
_V1 = f"{_API}.compat.v1"
_KERAS = f"{_API}.keras"
_DATA = f"{_API}.data.experimental"
_OURS = "compat_lossscale.legacy"
_MEMBERS = f"{_OURS}.changed_behaviour"
_SCHEDULES = "tf_keras.src.optimizers.schedules.learning_rate_schedule"
_NO_STATISTICS = "tf.data no longer collects statistics"
_PROFILER = "See tf.profiler.experimental"
_SCIKIT_LEARN = (
    "it moved to a package of its own",
    "See https://www.adriangb.com/scikeras, or call fit() and predict() yourself",
)
_TRACKING = "tensorflow.python.training.tracking"
_TRACKABLE = "tensorflow.python.trackable"
_CHECKPOINT = "tensorflow.python.checkpoint"
_MOVED = "TensorFlow 2.9"
_CONTRIB = (
    "what was worth keeping of tf.contrib moved to packages of its own, under other names",
    (
        "See https://github.com/tensorflow/community/blob/master/rfcs/20180907-contrib-sunset.md. "
        "Of tf.contrib.mixed_precision, `compat-lossscale migrate --explain LS603` says more"
    ),
)
_ESTIMATOR_API = "tensorflow_estimator._api"
_ESTIMATORS_UNTIL = "TensorFlow 2.15"
_AS_ESTIMATORS = (
    "the package tensorflow-estimator 2.15, which has to be installed; not on TPUs, and no "
    "strategy over several workers"
)
_IN_PLACE_OF_ESTIMATORS = "tf.keras.Model, with Model.fit"
_ESTIMATOR_PACKAGE = (
    "tensorflow_estimator",
    "pip install --no-deps 'tensorflow-estimator==2.15.*'",
)
"""What serves it, and the command that installs that."""


def _option(name: str, faithful: str = "it is set and read, and does nothing") -> Neighbour:
    return Neighbour(
        f"{_DATA}.OptimizationOptions.{name}",
        "TensorFlow 2.5",
        f"{_MEMBERS}:{name}",
        faithful,
        "nothing",
    )


METHODS = (
    Neighbour(
        "tensorflow.distribute.Strategy.experimental_run_v2",
        "TensorFlow 2.3",
        f"{_MEMBERS}:experimental_run_v2",
        THE_SAME,
        "Strategy.run",
        "tensorflow.distribute.Strategy.run",
    ),
    Neighbour(
        "tensorflow.data.experimental.OptimizationOptions.map_vectorization",
        "TensorFlow 2.6",
        f"{_MEMBERS}:map_vectorization",
        "it is set and read, and does nothing: it made datasets faster, and did not change them",
        "nothing",
    ),
    Neighbour(
        "tensorflow.keras.Model.compute_loss",
        "TensorFlow 2.8",
        "compat_lossscale.legacy.changed_behaviour:ComputeLoss",
        "a later base class' method of that name is found, as before Keras had one itself",
        "another name, or the mixin as the first base class",
    ),
    Neighbour(
        f"{_KERAS}.Sequential.predict_classes",
        "TensorFlow 2.5",
        f"{_MEMBERS}:predict_classes",
        THE_SAME,
        "model.predict(x).argmax(axis=-1), or (model.predict(x) > 0.5).astype('int32') for a "
        "single output",
    ),
    Neighbour(
        f"{_KERAS}.Sequential.predict_proba",
        "TensorFlow 2.5",
        f"{_MEMBERS}:predict_proba",
        THE_SAME,
        "model.predict(x)",
    ),
    Neighbour(
        f"{_API}.distribute.Strategy.experimental_make_numpy_dataset",
        "TensorFlow 2.3",
        f"{_MEMBERS}:experimental_make_numpy_dataset",
        THE_SAME,
        "tf.data.Dataset.from_tensor_slices",
    ),
    Neighbour(
        f"{_KERAS}.layers.Layer.get_updates_for",
        "TensorFlow 2.8",
        f"{_MEMBERS}:get_updates_for",
        "all updates, as from TensorFlow 2.3",
        "layer.updates",
    ),
    Neighbour(
        f"{_KERAS}.layers.Layer.get_losses_for",
        "TensorFlow 2.8",
        f"{_MEMBERS}:get_losses_for",
        "all losses, as from TensorFlow 2.3",
        "layer.losses",
    ),
    *(
        Neighbour(
            f"{_API}.distribute.Strategy.{name}",
            "TensorFlow 2.3",
            "",
            "of all strategies, it does something for TPUs alone",
            f"Call tf.distribute.TPUStrategy.{name}, or take it out",
        )
        for name in (
            "experimental_assign_to_logical_device",
            "experimental_replicate_to_logical_devices",
            "experimental_split_to_logical_devices",
        )
    ),
    Neighbour(
        f"{_API}.data.Options.experimental_stats",
        "TensorFlow 2.5",
        "",
        _NO_STATISTICS,
        _PROFILER,
    ),
    *(
        _option(name)
        for name in (
            "autotune_buffers",
            "autotune_cpu_budget",
            "autotune_algorithm",
            "autotune_ram_budget",
            "filter_with_random_uniform_fusion",
            "hoist_random_uniform",
            "reorder_data_discarding_ops",
        )
    ),
    *(
        Neighbour(
            f"{_DATA}.Optional.{name}",
            "TensorFlow 2.2",
            f"{_MEMBERS}:{name}",
            THE_SAME,
            f"Optional.{instead}",
        )
        for name, instead in (("none_from_structure", "empty"), ("value_structure", "element_spec"))
    ),
)
"""Attributes of classes, under names that no other class is likely to have; but `compute_loss`,
which is replaced where a class has it."""

COMMON_METHODS = (
    Neighbour(
        f"{_KERAS}.layers.Layer.apply",
        "TensorFlow 2.8",
        f"{_MEMBERS}:apply",
        THE_SAME,
        "layer(x)",
    ),
    _option("autotune", "it is set and read, and does nothing: it made datasets faster"),
    Neighbour(
        f"{_DATA}.DistributeOptions.auto_shard",
        "TensorFlow 2.0",
        f"{_MEMBERS}:auto_shard",
        "true is the policy AUTO, and false is OFF",
        "auto_shard_policy",
    ),
    *(
        Neighbour(
            f"{_KERAS}.Model.{name}",
            "TensorFlow 2.1",
            "",
            "it was of a graph that compile() made",
            "See train_step() and compute_loss() of tf.keras.Model",
        )
        for name in ("total_loss", "sample_weights", "sample_weight_mode", "loss_functions")
    ),
)
"""Attributes of classes, under names that others have as well. `migrate` does not look for them."""

NAMES = (
    Neighbour(
        "tensorflow.data.experimental.MapVectorizationOptions",
        "TensorFlow 2.6",
        "compat_lossscale.legacy.changed_behaviour:MapVectorizationOptions",
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
        *_CONTRIB,
    ),
    Neighbour(
        f"{_KERAS}.utils.multi_gpu_model",
        "TensorFlow 2.3",
        "",
        "Keras splits batches over GPUs with tf.distribute only",
        "Use tf.distribute.MirroredStrategy, and make and compile the model in its scope()",
    ),
    Neighbour(f"{_KERAS}.wrappers", "TensorFlow 2.12", "", *_SCIKIT_LEARN),
    Neighbour(
        f"{_KERAS}.utils.HDF5Matrix",
        "TensorFlow 2.3",
        "",
        "Keras no longer reads HDF5 files of data",
        "Read them with h5py in a tf.keras.utils.Sequence, or in tf.data.Dataset.from_generator",
    ),
    *(
        Neighbour(
            f"{_KERAS}.experimental.{name}",
            "TensorFlow 2.4",
            f"{_SCHEDULES}:{name}",
            "the class of tf-keras, which is private there",
            "a tf.keras.optimizers.schedules.LearningRateSchedule of your own",
        )
        for name in ("LinearCosineDecay", "NoisyLinearCosineDecay")
    ),
    Neighbour(
        f"{_KERAS}.experimental.PeepholeLSTMCell",
        "TensorFlow 2.8",
        "",
        "Keras no longer has a cell with peepholes",
        "Use tfa.rnn.PeepholeLSTMCell of tensorflow-addons, or a cell of your own",
    ),
    Neighbour(
        f"{_KERAS}.experimental.export_saved_model",
        "TensorFlow 2.4",
        "",
        "it wrote a format of its own, of graphs",
        'Use model.save(path, save_format="tf")',
    ),
    Neighbour(
        f"{_KERAS}.experimental.load_from_saved_model",
        "TensorFlow 2.4",
        "",
        "it read a format of its own, of graphs",
        "Save with model.save(), and use tf.keras.models.load_model",
    ),
    Neighbour(
        f"{_KERAS}.experimental.terminate_keras_multiprocessing_pools",
        "TensorFlow 2.3",
        "",
        "Keras ends its pools itself",
        "Take the call out",
    ),
    Neighbour(
        f"{_KERAS}.layers.experimental.preprocessing.CategoryCrossing",
        "TensorFlow 2.7",
        "",
        "Keras crosses categories with hashes only",
        "Use tf.keras.layers.HashedCrossing, or tf.sparse.cross",
    ),
    Neighbour(
        f"{_API}.lookup.experimental.DatasetInitializer",
        "TensorFlow 2.5",
        f"{_DATA}:DatasetInitializer",
        THE_SAME,
        "tf.data.experimental.DatasetInitializer",
    ),
    *(
        Neighbour(f"{_DATA}.{name}", "TensorFlow 2.5", "", _NO_STATISTICS, _PROFILER)
        for name in ("StatsAggregator", "StatsOptions", "bytes_produced_stats", "latency_stats")
    ),
    Neighbour(
        f"{_API}.config.experimental_list_devices",
        "TensorFlow 2.0",
        "",
        "it was renamed, and gives other objects",
        "Use tf.config.list_logical_devices()",
    ),
)
"""Names in modules that are still there."""

# By the last of 2.3.4, 2.4.4, 2.5.3 and 2.10.1 that had them: names that hardly a program uses.
_RARE = {
    "TensorFlow 2.3": (f"{_KERAS}.utils.convert_all_kernels_in_model",),
    "TensorFlow 2.5": (
        f"{_API}.quantize_and_dequantize_v4",
        f"{_V1}.lite.experimental.get_potentially_supported_ops",
        f"{_V1}.lite.experimental.nn",
    ),
    "TensorFlow 2.10": (
        f"{_API}.config.experimental.disable_mlir_graph_optimization",
        f"{_API}.config.experimental.enable_mlir_graph_optimization",
        f"{_DATA}.CheckpointInputPipelineHook",
        *(
            f"{_V1}.tpu.experimental.{name}Parameters"
            for name in ("Adagrad", "Adam", "Ftrl", "StochasticGradientDescent")
        ),
    ),
}
RARE = tuple(
    Neighbour(
        name,
        until,
        "",
        "TensorFlow removed it",
        "See what the release notes have in its place: "
        "https://github.com/tensorflow/tensorflow/blob/master/RELEASE.md",
    )
    for until, names in _RARE.items()
    for name in names
)
"""Names of which the table says no more than that they are gone."""

ESTIMATORS = (
    *(
        Neighbour(
            name,
            _ESTIMATORS_UNTIL,
            f"{_OURS}.estimator_training:estimator_{api}",
            _AS_ESTIMATORS,
            _IN_PLACE_OF_ESTIMATORS,
            package=_ESTIMATOR_PACKAGE,
        )
        for name, api in (("tensorflow.estimator", "v2"), ("tensorflow.compat.v1.estimator", "v1"))
    ),
    Neighbour(
        "tensorflow.python.util.tf_export.ESTIMATOR_API_NAME",
        _ESTIMATORS_UNTIL,
        f"{_OURS}.estimator_training:ESTIMATOR_API_NAME",
        "it marks names of tensorflow-estimator, for no use at run time",
        "nothing",
    ),
)
"""`tf.estimator`, which TensorFlow 2.16 left out; and what its package needs of TensorFlow."""

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
        f"{_CHECKPOINT}.graph_view",
        "of variables, serialize_object_graph() gives a part of the key, and all copies together",
        "tf.train.Checkpoint",
    ),
    Neighbour(
        "tensorflow.python.eager.profiler.*",
        "TensorFlow 2.19",
        "compat_lossscale.legacy.estimator_training",
        "it can be imported, as programs do with their callbacks; not used",
        "tf.profiler.experimental",
    ),
    Neighbour(
        "tensorflow.contrib.*",
        "TensorFlow 1.15",
        "",
        *_CONTRIB,
    ),
    *(
        Neighbour(
            f"{name}.*",
            _ESTIMATORS_UNTIL,
            served_by,
            _AS_ESTIMATORS,
            _IN_PLACE_OF_ESTIMATORS,
            package=_ESTIMATOR_PACKAGE,
        )
        for name, served_by in (
            ("tensorflow.estimator", f"{_ESTIMATOR_API}.v2.estimator"),
            ("tensorflow.compat.v2.estimator", f"{_ESTIMATOR_API}.v2.estimator"),
            ("tensorflow.compat.v1.estimator", f"{_ESTIMATOR_API}.v1.estimator"),
            ("tensorflow.python.estimator", "tensorflow_estimator.python.estimator"),
        )
    ),
    Neighbour(
        "tensorflow.python.distribute.estimator_training.*",
        _ESTIMATORS_UNTIL,
        f"{_OURS}.estimator_training",
        "for one worker, with any strategy; a cluster is an error",
        _IN_PLACE_OF_ESTIMATORS,
    ),
    *(
        Neighbour(
            f"tensorflow.python.tpu.{name}.*",
            _ESTIMATORS_UNTIL,
            f"{_OURS}.estimator_training",
            "it can be imported, so that the rest of tensorflow-estimator can; not used",
            "tf.keras.Model, with tf.distribute.TPUStrategy",
        )
        for name in ("tpu_embedding", "tpu_embedding_gradient", "session_support")
    ),
)
"""Modules, with what is below them."""

_LAYERS = f"{_KERAS}.layers"
_PREPROCESSING = f"{_LAYERS}.experimental.preprocessing"
_SERVICE = "tf.data.experimental.service."
_OF_CONVOLUTIONS = (
    "activation use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer "
    "activity_regularizer kernel_constraint bias_constraint"
)


def _inserted(path: str, same: int, then: str, *told_by: type) -> Changed:
    """A parameter was put between others: values of some types are meant for the one after it."""
    return Changed(path, same, tuple(then.split()), {same: told_by})


_SAVE = ("include_optimizer", "save_format", "signatures", "options", "save_traces")

SIGNATURES: tuple[Changed, ...] = (
    Changed(f"{_KERAS}.Model.save", 2, _SAVE, {2: (bool,)}, at_most=3),
    Changed(f"{_KERAS}.models.save_model", 3, _SAVE, {3: (bool,)}, at_most=4),
    Changed(
        f"{_KERAS}.Model.load_weights", 1, ("by_name", "skip_mismatch", "options"), {1: (bool,)}
    ),
    Changed(
        f"{_KERAS}.Model.compile",
        4,
        ("sample_weight_mode", "weighted_metrics", "target_tensors", "distribute"),
        {4: (str,), 5: (list, tuple, dict, str)},
        refused={
            "target_tensors": "Give the targets to fit() as `y`; in a graph, after "
            "tf.compat.v1.disable_eager_execution(), compile() takes them still",
            "distribute": "Make and compile the model inside `with strategy.scope():`",
        },
    ),
    Changed(
        f"{_LAYERS}.Layer.add_update", 1, ("inputs",), at_most=1, dropped=frozenset({"inputs"})
    ),
    Changed(f"{_LAYERS}.Layer.add_loss", 1, ("inputs",), at_most=1),
    Changed(f"{_LAYERS}.Layer.add_metric", 1, ("aggregation", "name"), at_most=2),
    _inserted(f"{_KERAS}.losses.SparseCategoricalCrossentropy", 1, "reduction name", str),
    _inserted(f"{_KERAS}.losses.BinaryCrossentropy", 2, "reduction name", str),
    _inserted(f"{_KERAS}.losses.CategoricalCrossentropy", 2, "reduction name", str),
    _inserted(f"{_KERAS}.metrics.PrecisionAtRecall", 2, "name dtype", str),
    _inserted(f"{_KERAS}.metrics.RecallAtPrecision", 2, "name dtype", str),
    _inserted(f"{_KERAS}.metrics.SensitivityAtSpecificity", 2, "name dtype", str),
    _inserted(f"{_KERAS}.metrics.SpecificityAtSensitivity", 2, "name dtype", str),
    _inserted(
        f"{_KERAS}.callbacks.TensorBoard",
        4,
        "update_freq profile_batch embeddings_freq embeddings_metadata",
        *(str, int),
    ),
    _inserted(f"{_LAYERS}.Conv1D", 6, _OF_CONVOLUTIONS, str),
    _inserted(f"{_LAYERS}.Conv2D", 6, _OF_CONVOLUTIONS, str),
    _inserted(f"{_LAYERS}.Conv3D", 6, _OF_CONVOLUTIONS, str),
    _inserted(f"{_LAYERS}.Conv3DTranspose", 6, _OF_CONVOLUTIONS, str),
    _inserted(
        f"{_LAYERS}.DepthwiseConv2D",
        5,
        _OF_CONVOLUTIONS.replace("kernel", "depthwise"),
        str,
    ),
    _inserted(f"{_PREPROCESSING}.Resizing", 3, "name", str),
    _inserted("tensorflow.saved_model.LoadOptions", 0, "experimental_io_device", str),
    Changed(
        f"{_API}.distribute.ReplicaContext.all_reduce", renamed={"experimental_hints": "options"}
    ),
    Changed(
        f"{_API}.distribute.StrategyExtended.reduce_to", renamed={"experimental_hints": "options"}
    ),
    Changed(
        f"{_API}.distribute.StrategyExtended.batch_reduce_to",
        renamed={"experimental_hints": "options"},
    ),
    Changed(f"{_KERAS}.preprocessing.text.one_hot", renamed={"text": "input_text"}),
    Changed(f"{_KERAS}.preprocessing.text.text_to_word_sequence", renamed={"text": "input_text"}),
    Changed(f"{_KERAS}.utils.GeneratorEnqueuer", renamed={"sequence": "generator"}),
    *(
        Changed(
            f"{_KERAS}.utils.{name}",
            instead=f"tf.keras.utils.legacy.{name} takes and gives what it did",
        )
        for name in ("serialize_keras_object", "deserialize_keras_object")
    ),
    Changed(
        f"{_API}.data.experimental.service.DispatchServer",
        refused={"port": f"Give {_SERVICE}DispatcherConfig(port=...) as `config`"},
    ),
    Changed(
        f"{_API}.data.experimental.service.WorkerServer",
        refused={
            "port": f"Give {_SERVICE}WorkerConfig(dispatcher_address=..., port=...) as `config`"
        },
    ),
    Changed(f"{_API}.random.experimental.create_rng_state", renamed={"algorithm": "alg"}),
)
"""The signatures that changed, the most used first."""
