# SPDX-License-Identifier: Apache-2.0
"""Private names of TensorFlow that moved to other private modules, mostly in 2.13 and 2.14.

Optimizers, layers and loops of old programs import them: `control_flow_ops.cond`, `ops.Tensor`.
Many are public too, and new code has those.
"""

from __future__ import annotations

from compat_lossscale.legacy.neighbour_names.neighbour import THE_SAME, Neighbour

_PRIVATE = "tensorflow.python"
_API = "tensorflow"
_V1 = "tensorflow.compat.v1"

# The module, the last version that had the names, where they are, and, by name, what is public.
_MOVED: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    (
        "framework.ops",
        "2.13",
        "framework.tensor",
        {
            "Tensor": f"{_API}.Tensor",
            "enable_tensor_equality": f"{_V1}.enable_tensor_equality",
            "disable_tensor_equality": f"{_V1}.disable_tensor_equality",
        },
    ),
    (
        "framework.ops",
        "2.12",
        "framework.indexed_slices",
        {
            "IndexedSlices": f"{_API}.IndexedSlices",
            "IndexedSlicesValue": "",
            "convert_to_tensor_or_indexed_slices": f"{_V1}.convert_to_tensor_or_indexed_slices",
            "convert_n_to_tensor_or_indexed_slices": "",
        },
    ),
    (
        "framework.ops",
        "2.12",
        "framework.tensor_conversion_registry",
        {"register_tensor_conversion_function": f"{_API}.register_tensor_conversion_function"},
    ),
    (
        "framework.ops",
        "2.12",
        "framework.tensor_conversion",
        {"convert_to_tensor_v1": "", "convert_to_tensor_v2": ""},
    ),
    (
        "framework.tensor_util",
        "2.12",
        "ops.shape_util",
        {"shape_tensor": "", "maybe_set_static_shape": ""},
    ),
    (
        "framework.graph_util",
        "2.12",
        "framework.convert_to_constants",
        {"convert_variables_to_constants": f"{_V1}.graph_util.convert_variables_to_constants"},
    ),
    ("framework.func_graph", "2.12", "eager.graph_only_ops", {"graph_placeholder": ""}),
    (
        "ops.array_ops",
        "2.12",
        "ops.array_ops_stack",
        {"stack": f"{_API}.stack", "unstack": f"{_API}.unstack"},
    ),
    ("ops.control_flow_ops", "2.13", "ops.control_flow_assert", {"Assert": f"{_API}.Assert"}),
    (
        "ops.control_flow_ops",
        "2.13",
        "ops.cond",
        {"cond": f"{_V1}.cond", "cond_for_tf_v2": f"{_API}.cond"},
    ),
    (
        "ops.control_flow_ops",
        "2.13",
        "ops.while_loop",
        {"while_loop": f"{_V1}.while_loop", "while_loop_v2": f"{_API}.while_loop"},
    ),
    (
        "ops.control_flow_ops",
        "2.13",
        "ops.control_flow_case",
        {"case": f"{_V1}.case", "case_v2": f"{_API}.case"},
    ),
    (
        "ops.control_flow_ops",
        "2.12",
        "ops.control_flow_switch_case",
        {"switch_case": f"{_API}.switch_case"},
    ),
    ("ops.variables", "2.12", "ops.variable_v1", {"VariableV1": f"{_V1}.Variable"}),
    ("ops.variables", "2.12", "ops.ref_variable", {"RefVariable": ""}),
    (
        "ops.variable_scope",
        "2.15",
        "ops.resource_variables_toggle",
        {
            name: f"{_V1}.{name}"
            for name in (
                "enable_resource_variables",
                "disable_resource_variables",
                "resource_variables_enabled",
            )
        },
    ),
    (
        "ops.nn_impl",
        "2.14",
        "ops.nn_impl_distribute",
        {
            name: f"{_API}.nn.{name}"
            for name in ("compute_average_loss", "scale_regularization_loss")
        },
    ),
    ("ops.random_ops", "2.13", "ops.random_crop_ops", {"random_crop": f"{_API}.image.random_crop"}),
    ("ops.custom_gradient", "2.4", "ops.handle_data_util", {"copy_handle_data": ""}),
    (
        "eager.tape",
        "2.12",
        "eager.record",
        dict.fromkeys(
            (
                "stop_recording",
                "should_record_backprop",
                "record_operation",
                "record_operation_backprop_only",
                "record_operation_forwardprop_only",
                "could_possibly_record",
            ),
            "",
        ),
    ),
    (
        "distribute.distribute_lib",
        "2.12",
        "distribute.distribute_utils",
        {"get_loss_reduction": f"{_V1}.distribute.get_loss_reduction"},
    ),
    (
        "distribute.values",
        "2.3",
        "distribute.distribute_utils",
        dict.fromkeys(
            (
                "is_distributed_variable",
                "regroup",
                "select_replica",
                "select_replica_mirrored",
                "update_regroup",
                "value_container",
                "validate_colocate",
                "validate_colocate_distributed_variable",
            ),
            "",
        ),
    ),
    ("data.ops.dataset_ops", "2.6", "data.ops.options", {"Options": f"{_API}.data.Options"}),
    (
        "data.experimental.ops.distribute",
        "2.3",
        "data.ops.options",
        {"AutoShardPolicy": f"{_API}.data.experimental.AutoShardPolicy"},
    ),
    (
        "feature_column.feature_column_v2",
        "2.13",
        "feature_column.feature_column_v2_types",
        {"FeatureColumn": ""},
    ),
    (
        "autograph",
        "2.13",
        "autograph.impl.api",
        {
            "do_not_convert": f"{_API}.autograph.experimental.do_not_convert",
            "convert": "",
            "to_graph": f"{_API}.autograph.to_graph",
            "to_code": f"{_API}.autograph.to_code",
        },
    ),
    (
        "autograph",
        "2.13",
        "autograph.lang.directives",
        {"set_loop_options": f"{_API}.autograph.experimental.set_loop_options"},
    ),
    (
        "tpu.tpu",
        "2.12",
        "tpu.tpu_replication",
        {"outside_compilation": f"{_V1}.tpu.outside_compilation"},
    ),
    (
        "tpu.tpu_strategy_util",
        "2.13",
        "distribute.cluster_resolver.tpu.tpu_cluster_resolver",
        {
            name: f"{_API}.tpu.experimental.{name}"
            for name in ("initialize_tpu_system", "shutdown_tpu_system")
        },
    ),
)
_RENAMED = (
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
_MODULES = {
    "data.experimental.ops.distribute_options": ("2.6", "data.ops.options"),
    "data.experimental.ops.optimization_options": ("2.6", "data.ops.options"),
    "data.experimental.ops.threading_options": ("2.6", "data.ops.options"),
    "distribute.distribution_strategy_context": ("2.13", "distribute.distribute_lib"),
    "training.distribution_strategy_context": ("2.12", "distribute.distribute_lib"),
    "training.distribute": ("2.12", "distribute.distribute_lib"),
    "training.gen_training_ops": ("2.15", "ops.gen_training_ops"),
    "training.saving.functional_saver": ("2.13", "checkpoint.functional_saver"),
    "training.training_ops": ("2.15", "ops.gen_training_ops"),
}

NAMES = (
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
    *_RENAMED,
)
"""Names in modules that are still there."""

MODULES = tuple(
    Neighbour(
        f"{_PRIVATE}.{module}.*",
        f"TensorFlow {until}",
        f"{_PRIVATE}.{home}",
        THE_SAME,
        f"{_PRIVATE}.{home}",
    )
    for module, (until, home) in _MODULES.items()
)
"""Modules, with what is below them."""
