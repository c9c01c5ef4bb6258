# SPDX-License-Identifier: Apache-2.0
"""Names of TensorFlow 1.14 to 2.19 that are gone or moved, and functions of other arguments today.

Loss scaling is elsewhere. The rows are for what public programs use, and for what a comparison of
the public names and signatures of 2.0.4, 2.1.4, 2.2.3, 2.3.4 and 2.4.4 with today's came to
(`tests/legacy/neighbour_names/record_public_names.py`). Of any other name, TensorFlow's own error
says that it is not there.
"""

from __future__ import annotations

from compat_lossscale.legacy.neighbour_names.neighbour import THE_SAME, Changed, Neighbour

_API = "tensorflow"
_V1 = f"{_API}.compat.v1"
_KERAS = f"{_API}.keras"
_DATA = f"{_API}.data.experimental"
_PRIVATE = f"{_API}.python"
_OURS = "compat_lossscale.legacy"
_MEMBERS = f"{_OURS}.changed_behaviour"
_SCIKIT_LEARN = (
    "it moved to a package of its own",
    "See https://www.adriangb.com/scikeras, or call fit() and predict() yourself",
)
_SAVED_MODELS = ("it was for a format of its own, of graphs", "Use tf.keras.models.save_model")
_TRACKING = f"{_PRIVATE}.training.tracking"
_TRACKABLE = f"{_PRIVATE}.trackable"
_CHECKPOINT = f"{_PRIVATE}.checkpoint"
_CONTRIB = (
    "what was worth keeping of tf.contrib moved to packages of its own, under other names",
    (
        "See https://github.com/tensorflow/community/blob/master/rfcs/20180907-contrib-sunset.md. "
        "Of tf.contrib.mixed_precision, `compat-lossscale migrate --explain LS603` says more"
    ),
)
_ESTIMATOR_API = "tensorflow_estimator._api"
_ESTIMATORS_UNTIL = "2.15"
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


_TPUS_ALONE = "of all strategies, it does something for TPUs alone"
_OF_COMPILE = ("it was of a graph that compile() made", "See train_step() and compute_loss()")
_NO_STATISTICS = ("tf.data no longer collects statistics", "See tf.profiler.experimental")
_REMOVED = (
    "TensorFlow removed it",
    "See https://github.com/tensorflow/tensorflow/blob/master/RELEASE.md",
)


def _gone(until: str, why: tuple[str, str], place: str, *names: str) -> tuple[Neighbour, ...]:
    """Names that nothing serves."""
    return tuple(Neighbour(f"{place}.{one}", f"TensorFlow {until}", "", *why) for one in names)


def _member(
    place: str, name: str, until: str, faithful: str, instead: str, exactly: str = ""
) -> Neighbour:
    """A name that `legacy.changed_behaviour` has."""
    served_by = f"{_MEMBERS}:{name}"
    return Neighbour(
        f"{place}.{name}", f"TensorFlow {until}", served_by, faithful, instead, exactly
    )


def _module(
    name: str,
    until: str,
    served_by: str,
    faithful: str,
    instead: str,
    package: tuple[str, str] | None = None,
) -> Neighbour:
    """A module with what is below it."""
    until = f"TensorFlow {until}"
    return Neighbour(f"{name}.*", until, served_by, faithful, instead, package=package)


_MODEL = f"{_KERAS}.Model"
_SEQUENTIAL = f"{_KERAS}.Sequential"
_LAYER = f"{_KERAS}.layers.Layer"
_STRATEGY = f"{_API}.distribute.Strategy"
_OPTIONS = f"{_DATA}.OptimizationOptions"
_REMEMBERED = "it is set and read, and does nothing"

METHODS = (
    _member(_STRATEGY, "experimental_run_v2", "2.3", THE_SAME, "Strategy.run", f"{_STRATEGY}.run"),
    _member(
        _OPTIONS,
        "map_vectorization",
        "2.6",
        f"{_REMEMBERED}: it made datasets faster, and did not change them",
        "nothing",
    ),
    Neighbour(
        f"{_MODEL}.compute_loss",
        "TensorFlow 2.8",
        f"{_MEMBERS}:ComputeLoss",
        "a later base class' method of that name is found, as before Keras had one itself",
        "another name, or the mixin as the first base class",
    ),
    _member(
        _SEQUENTIAL,
        "predict_classes",
        "2.5",
        THE_SAME,
        "model.predict(x).argmax(axis=-1), or (model.predict(x) > 0.5).astype('int32') for a "
        "single output",
    ),
    _member(_SEQUENTIAL, "predict_proba", "2.5", THE_SAME, "model.predict(x)"),
    _member(
        _STRATEGY,
        "experimental_make_numpy_dataset",
        "2.3",
        THE_SAME,
        "tf.data.Dataset.from_tensor_slices",
    ),
    *(
        _member(
            _LAYER, f"get_{what}_for", "2.8", f"all {what}, as from TensorFlow 2.3", f"layer.{what}"
        )
        for what in ("updates", "losses")
    ),
    *(
        _member(_OPTIONS, name, "2.5", _REMEMBERED, "nothing")
        for name in (
            *("autotune_buffers", "autotune_cpu_budget", "autotune_algorithm"),
            *("autotune_ram_budget", "filter_with_random_uniform_fusion", "hoist_random_uniform"),
            "reorder_data_discarding_ops",
        )
    ),
    *(
        _member(f"{_DATA}.Optional", name, "2.2", THE_SAME, f"Optional.{instead}")
        for name, instead in (("none_from_structure", "empty"), ("value_structure", "element_spec"))
    ),
)
"""Attributes of classes, under names that no other class is likely to have; but `compute_loss`,
which is replaced where a class has it."""

COMMON_METHODS = (
    _member(_LAYER, "apply", "2.8", THE_SAME, "layer(x)"),
    _member(_OPTIONS, "autotune", "2.5", f"{_REMEMBERED}: it made datasets faster", "nothing"),
    _member(
        f"{_DATA}.DistributeOptions",
        "auto_shard",
        "2.0",
        "true is the policy AUTO, and false is OFF",
        "auto_shard_policy",
    ),
    *_gone(
        "2.1",
        _OF_COMPILE,
        _MODEL,
        *("total_loss", "sample_weights", "sample_weight_mode", "loss_functions"),
    ),
)
"""Attributes of classes, under names that others have as well. `migrate` does not look for them."""

NAMES = (
    _member(_DATA, "MapVectorizationOptions", "2.6", _REMEMBERED, "nothing"),
    Neighbour(
        f"{_KERAS}.__version__",
        "TensorFlow 2.15",
        "tf_keras:__version__",
        "the version of tf-keras",
        "tf_keras.__version__",
    ),
    Neighbour(f"{_API}.contrib", "TensorFlow 1.15", "", *_CONTRIB),
    Neighbour(
        f"{_KERAS}.utils.multi_gpu_model",
        "TensorFlow 2.3",
        "",
        "Keras splits batches over GPUs with tf.distribute only",
        "Use tf.distribute.MirroredStrategy, and make and compile the model in its scope()",
    ),
    Neighbour(f"{_KERAS}.wrappers", "TensorFlow 2.12", "", *_SCIKIT_LEARN),
    *(
        Neighbour(
            f"{_KERAS}.experimental.{name}",
            "TensorFlow 2.4",
            f"tf_keras.src.optimizers.schedules.learning_rate_schedule:{name}",
            "the class of tf-keras, which is private there",
            "a tf.keras.optimizers.schedules.LearningRateSchedule of your own",
        )
        for name in ("LinearCosineDecay", "NoisyLinearCosineDecay")
    ),
    Neighbour(
        f"{_API}.lookup.experimental.DatasetInitializer",
        "TensorFlow 2.5",
        f"{_DATA}:DatasetInitializer",
        THE_SAME,
        "tf.data.experimental.DatasetInitializer",
    ),
    Neighbour(
        f"{_KERAS}.experimental.PeepholeLSTMCell",
        "TensorFlow 2.8",
        "",
        "Keras no longer has a cell with peepholes",
        "Use tfa.rnn.PeepholeLSTMCell of tensorflow-addons, or a cell of your own",
    ),
    *(
        Neighbour(f"{_KERAS}.experimental.{name}", "TensorFlow 2.4", "", *_SAVED_MODELS)
        for name in ("export_saved_model", "load_from_saved_model")
    ),
    Neighbour(
        f"{_KERAS}.experimental.terminate_keras_multiprocessing_pools",
        "TensorFlow 2.3",
        "",
        "Keras ends its pools itself",
        "Take the call out",
    ),
)
"""Names in modules that are still there."""

GONE_METHODS = (
    *(
        one
        for name in (
            "assign_to_logical_device",
            "replicate_to_logical_devices",
            "split_to_logical_devices",
        )
        for one in _gone(
            "2.3",
            (_TPUS_ALONE, f"Call tf.distribute.TPUStrategy.experimental_{name}, or take it out"),
            _STRATEGY,
            f"experimental_{name}",
        )
    ),
    *_gone("2.5", _NO_STATISTICS, f"{_API}.data.Options", "experimental_stats"),
)
"""Attributes of classes that nothing serves."""

GONE = (
    *_gone(
        "2.5",
        _NO_STATISTICS,
        _DATA,
        *("StatsAggregator", "StatsOptions", "bytes_produced_stats", "latency_stats"),
    ),
    *_gone(
        "2.3",
        (
            "Keras no longer reads HDF5 files of data",
            "Read them with h5py in a tf.keras.utils.Sequence",
        ),
        f"{_KERAS}.utils",
        "HDF5Matrix",
    ),
    *_gone(
        "2.7",
        (
            "Keras crosses categories with hashes only",
            "Use tf.keras.layers.HashedCrossing, or tf.sparse.cross",
        ),
        f"{_KERAS}.layers.experimental.preprocessing",
        "CategoryCrossing",
    ),
    *_gone(
        "2.0",
        ("it was renamed, and gives other objects", "Use tf.config.list_logical_devices()"),
        f"{_API}.config",
        "experimental_list_devices",
    ),
    *_gone("2.3", _REMOVED, f"{_KERAS}.utils", "convert_all_kernels_in_model"),
    *_gone("2.5", _REMOVED, _API, "quantize_and_dequantize_v4"),
    *_gone("2.5", _REMOVED, f"{_V1}.lite.experimental", "get_potentially_supported_ops", "nn"),
    *_gone(
        "2.10",
        _REMOVED,
        f"{_API}.config.experimental",
        *("disable_mlir_graph_optimization", "enable_mlir_graph_optimization"),
    ),
    *_gone("2.10", _REMOVED, _DATA, "CheckpointInputPipelineHook"),
    *_gone(
        "2.10",
        _REMOVED,
        f"{_V1}.tpu.experimental",
        *("AdagradParameters", "AdamParameters", "FtrlParameters"),
        "StochasticGradientDescentParameters",
    ),
)
"""Other public names that nothing serves."""

ESTIMATORS = (
    *(
        Neighbour(
            name,
            f"TensorFlow {_ESTIMATORS_UNTIL}",
            f"{_OURS}.estimator_training:estimator_{api}",
            _AS_ESTIMATORS,
            _IN_PLACE_OF_ESTIMATORS,
            package=_ESTIMATOR_PACKAGE,
        )
        for name, api in ((f"{_API}.estimator", "v2"), (f"{_V1}.estimator", "v1"))
    ),
    Neighbour(
        f"{_PRIVATE}.util.tf_export.ESTIMATOR_API_NAME",
        f"TensorFlow {_ESTIMATORS_UNTIL}",
        f"{_OURS}.estimator_training:ESTIMATOR_API_NAME",
        "it marks names of tensorflow-estimator, for no use at run time",
        "nothing",
    ),
)
"""`tf.estimator`, which TensorFlow 2.16 left out; and what its package needs of TensorFlow."""

_MOVED = (
    ("framework.ops", "2.13", "framework.tensor", {"Tensor": f"{_API}.Tensor"}),
    (
        "framework.ops",
        "2.12",
        "framework.indexed_slices",
        {
            "IndexedSlices": f"{_API}.IndexedSlices",
            "convert_to_tensor_or_indexed_slices": f"{_V1}.convert_to_tensor_or_indexed_slices",
        },
    ),
    ("framework.ops", "2.12", "framework.tensor_conversion", {"convert_to_tensor_v2": ""}),
    (
        "framework.graph_util",
        "2.12",
        "framework.convert_to_constants",
        {"convert_variables_to_constants": f"{_V1}.graph_util.convert_variables_to_constants"},
    ),
    (
        "ops.array_ops",
        "2.12",
        "ops.array_ops_stack",
        {"stack": f"{_API}.stack", "unstack": f"{_API}.unstack"},
    ),
    ("ops.control_flow_ops", "2.13", "ops.control_flow_assert", {"Assert": f"{_API}.Assert"}),
    ("ops.control_flow_ops", "2.13", "ops.cond", {"cond": f"{_V1}.cond"}),
    ("ops.control_flow_ops", "2.13", "ops.while_loop", {"while_loop": f"{_V1}.while_loop"}),
    ("ops.variables", "2.12", "ops.variable_v1", {"VariableV1": f"{_V1}.Variable"}),
    ("ops.variables", "2.12", "ops.ref_variable", {"RefVariable": ""}),
    ("eager.tape", "2.12", "eager.record", {"stop_recording": "", "record_operation": ""}),
    (
        "distribute.values",
        "2.3",
        "distribute.distribute_utils",
        dict.fromkeys(
            (
                "regroup",
                "select_replica",
                "update_regroup",
                "value_container",
                "validate_colocate_distributed_variable",
            ),
            "",
        ),
    ),
    ("autograph", "2.13", "autograph.impl.api", {"to_graph": f"{_API}.autograph.to_graph"}),
)
"""The module, the last version that had the names, where they are, and, by name, what is public."""
_MOVED_MODULES = {
    "distribute.distribution_strategy_context": ("2.13", "distribute.distribute_lib"),
    "training.saving.functional_saver": ("2.13", "checkpoint.functional_saver"),
    "training.training_ops": ("2.15", "ops.gen_training_ops"),
}

MOVED = (
    *(
        Neighbour(
            f"{_PRIVATE}.{module}.{name}",
            f"TensorFlow {until}",
            f"{_PRIVATE}.{home}:{name}",
            THE_SAME,
            public.replace(_API, "tf", 1) or f"{_PRIVATE}.{home}.{name}",
            public,
        )
        for module, until, home, names in _MOVED
        for name, public in names.items()
    ),
    Neighbour(
        f"{_PRIVATE}.util.nest.is_sequence",
        "TensorFlow 2.12",
        f"{_PRIVATE}.util.nest:is_nested",
        THE_SAME,
        "tf.nest.is_nested",
        f"{_API}.nest.is_nested",
    ),
    Neighbour(
        f"{_PRIVATE}.data.util.nest.is_sequence",
        "TensorFlow 2.7",
        f"{_PRIVATE}.data.util.nest:is_nested",
        THE_SAME,
        f"{_PRIVATE}.data.util.nest.is_nested",
    ),
)
"""Private names that moved to other private modules. Optimizers and loops of old programs import
them: `control_flow_ops.cond`, `ops.Tensor`."""

MODULES = (
    *(
        _module(f"{_PRIVATE}.{name}", until, f"{_PRIVATE}.{home}", THE_SAME, f"{_PRIVATE}.{home}")
        for name, (until, home) in _MOVED_MODULES.items()
    ),
    _module(_TRACKING, "2.9", _TRACKABLE, THE_SAME, "tf.train.Checkpoint, tf.Module"),
    _module(
        f"{_TRACKING}.tracking",
        "2.9",
        f"{_TRACKABLE}.autotrackable, {_TRACKABLE}.resource, {_TRACKABLE}.asset",
        THE_SAME,
        "tf.Module",
    ),
    _module(
        f"{_TRACKING}.util",
        "2.9",
        f"{_CHECKPOINT}.checkpoint, {_CHECKPOINT}.util",
        THE_SAME,
        "tf.train.Checkpoint",
    ),
    _module(
        f"{_TRACKING}.graph_view",
        "2.9",
        f"{_CHECKPOINT}.graph_view",
        "of variables, serialize_object_graph() gives a part of the key, and all copies together",
        "tf.train.Checkpoint",
    ),
    _module(
        f"{_PRIVATE}.eager.profiler",
        "2.19",
        f"{_OURS}.estimator_training",
        "it can be imported, as programs do with their callbacks; not used",
        "tf.profiler.experimental",
    ),
    _module(f"{_API}.contrib", "1.15", "", *_CONTRIB),
    *(
        _module(
            name,
            _ESTIMATORS_UNTIL,
            served_by,
            _AS_ESTIMATORS,
            _IN_PLACE_OF_ESTIMATORS,
            _ESTIMATOR_PACKAGE,
        )
        for name, served_by in (
            (f"{_API}.estimator", f"{_ESTIMATOR_API}.v2.estimator"),
            (f"{_API}.compat.v2.estimator", f"{_ESTIMATOR_API}.v2.estimator"),
            (f"{_V1}.estimator", f"{_ESTIMATOR_API}.v1.estimator"),
            (f"{_PRIVATE}.estimator", "tensorflow_estimator.python.estimator"),
        )
    ),
    _module(
        f"{_PRIVATE}.distribute.estimator_training",
        _ESTIMATORS_UNTIL,
        f"{_OURS}.estimator_training",
        "for one worker, with any strategy; a cluster is an error",
        _IN_PLACE_OF_ESTIMATORS,
    ),
    *(
        _module(
            f"{_PRIVATE}.tpu.{name}",
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
    Changed(f"{_MODEL}.save", 2, _SAVE, {2: (bool,)}, at_most=3),
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
    _inserted(f"{_API}.saved_model.LoadOptions", 0, "experimental_io_device", str),
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
