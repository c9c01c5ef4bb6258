# SPDX-License-Identifier: Apache-2.0
"""Small expressions in the old API: what is made of every kind of argument, and what it has.

A group is a template and, for each of its fields, what is put there: every combination is an
expression. What stands before the last `;` is executed first. Old Pythons read this file.
"""

import collections
import itertools

Group = collections.namedtuple("Group", "versions template fields")

ALL = ("1.15", "2.1", "2.3", "2.4")
TF2 = ("2.1", "2.3", "2.4")
SINCE_23 = ("2.3", "2.4")
NEW = ("2.4",)


def group(versions, template, **fields):
    """Makes a group; a field is a list of expressions."""
    return Group(versions, template, fields)


NUMBERS = ["8", "2.5", "1", "0.5", "0", "-4", "1e39", "True", "None", "'8'", "[8.0]",
           "np.float32(8)",
           "np.float64(8)", "np.int64(8)", "np.array(8.0)", "tf.constant(8.0)", "float('inf')",
           "float('nan')", "object()"]  # fmt: skip
WHOLE_NUMBERS = ["3", "2.7", "0", "-1", "True", "None", "'3'", "np.int64(3)", "2**70"]
LOSS_SCALES = ["'dynamic'", "'Dynamic'", "'auto'", "'foo'", "''", "b'dynamic'", "8", "2.5", "0.5",
               "0",
               "-1", "1e39", "True", "False", "None", "[8.0]", "(8.0,)", "object()", "lambda: 8.0",
               "np.float32(8)", "np.float64(8)", "np.int64(8)", "tf.constant(8.0)",
               "FixedLossScale", "FixedLossScale(8)", "DynamicLossScale()",
               "DynamicLossScale(8, 3, 2)", "DynamicLossScale(8, 3, 4)", "OwnLossScale()", "{}",
               "{'class_name': 'FixedLossScale', 'config': {'loss_scale_value': 8.0}}",
               "{'class_name': 'DynamicLossScale', 'config': {'initial_loss_scale': 8.0}}",
               "{'class_name': 'Unknown', 'config': {}}"]  # fmt: skip
OPTIMIZERS = ["SGD()", "Adam()", "SGD(momentum=0.5)", "SGD(clipnorm=1.0)", "SGD(clipvalue=1.0)",
              "GradientDescent(0.1)", "Momentum(0.1, 0.5)", "'sgd'", "None", "5", "SGD",
              "object()", "lambda: SGD()", "[SGD()]", "Dense(1)",
              "experimental.LossScaleOptimizer(SGD(), 8)",
              "MixedPrecisionLossScaleOptimizer(GradientDescent(0.1), 8)"]  # fmt: skip
GRADIENTS = ["[]", "[None]", "[tf.constant(8.0)]", "[None, tf.constant([8.0, 16.0])]",
             "(tf.constant(8.0),)", "[tf.constant(8.0, tf.float64)]",
             "[tf.constant(8.0, tf.float16)]",
             "[tf.IndexedSlices(tf.constant([8.0]), tf.constant([1]), tf.constant([3]))]", "None",
             "5", "[8.0]", "[tf.constant(8)]"]  # fmt: skip
UPDATES = ["[tf.constant(1.0)]", "[tf.constant(float('nan'))]", "[tf.constant(float('inf'))]", "[]",
           "[None]", "{'a': tf.constant(1.0)}", "[[tf.constant(1.0)], None]", "tf.constant(1.0)",
           "None", "[1.0]", "[tf.constant(1)]"]  # fmt: skip
LOSSES = ["tf.constant(2.0)", "tf.constant([2.0, 3.0])", "tf.constant(2.0, tf.float64)",
          "tf.constant(2.0, tf.float16)", "2.0", "None", "'2'", "tf.constant(2)",
          "np.float32(2)"]  # fmt: skip
NAMES = ["mixed_float16", "mixed_bfloat16", "float16", "bfloat16", "float32", "float64", "int32",
         "bool", "complex64", "string", "infer", "_infer", "float16_with_float32_vars",
         "infer_float32_vars", "infer_with_float32_vars", "half", "float", "Mixed_float16", "abc",
         ""]  # fmt: skip
NOT_NAMES = ["None", "5", "tf.float32", "np.float32", "float", "b'float32'", "['float32']",
             "object()"]
POLICIES = ["experimental.Policy('mixed_float16')", "experimental.Policy('float32')",
            "experimental.Policy('mixed_float16', loss_scale=8)",
            "experimental.Policy('mixed_float16', loss_scale=None)"]  # fmt: skip
SETTINGS = ["set_policy('mixed_float16')", "set_policy('mixed_bfloat16')", "set_policy('float32')",
            "set_policy('float16')", "set_policy('float64')", "set_policy(None)",
            "set_policy(experimental.Policy('mixed_float16', loss_scale=8))",
            "set_policy(experimental.Policy('mixed_float16', loss_scale=None))",
            "set_policy('mixed_float16'); set_policy('float32')",
            "set_policy('mixed_float16'); set_policy('int32')",
            "set_policy('mixed_float16'); set_policy(None)",
            "set_policy('float32'); set_policy('mixed_float16')"]  # fmt: skip
WRAPPED = ["experimental.LossScaleOptimizer(SGD(0.5), 8)",
           "experimental.LossScaleOptimizer(SGD(0.5), DynamicLossScale(8, 3))"]  # fmt: skip
NEW_WRAPPED = ["mixed_precision.LossScaleOptimizer(SGD(0.5))",
               "mixed_precision.LossScaleOptimizer(SGD(0.5), dynamic=False, initial_scale=8)",
               "mixed_precision.LossScaleOptimizer(SGD(0.5), True, 8.0, 3)"]  # fmt: skip
SGD_CONFIG = "{'class_name': 'SGD', 'config': {'learning_rate': 0.5}}"
FIXED_CONFIG = "{'class_name': 'FixedLossScale', 'config': {'loss_scale_value': 8.0}}"
DYNAMIC_CONFIG = (
    "{'class_name': 'DynamicLossScale', "
    "'config': {'initial_loss_scale': 8.0, 'increment_period': 3, 'multiplier': 2.0}}"
)
UNKNOWN_CONFIG = "{'class_name': 'Unknown', 'config': {}}"

GROUPS = [
    # Loss scales
    group(ALL, "FixedLossScale({value})", value=NUMBERS),
    group(ALL, "DynamicLossScale({value})", value=NUMBERS),
    group(ALL, "DynamicLossScale(8, {value})", value=WHOLE_NUMBERS),
    group(ALL, "DynamicLossScale(8, 3, {value})", value=["2", "4", "1.5", "1", "0", "-2", "True",
        "None", "'2'", "float('inf')"]),
    group(ALL, "repr({value})", value=[
        "FixedLossScale(8)", "FixedLossScale(2.5)", "DynamicLossScale(8, 3, 4)",
        "DynamicLossScale(True, 2.7)",
        "experimental.Policy('float32')", "experimental.Policy('mixed_float16')",
        "experimental.Policy('mixed_float16', 8)", "experimental.Policy('mixed_float16', None)",
    ]),
    group(ALL, "{call}", call=[
        "FixedLossScale()", "FixedLossScale(8, 9)", "FixedLossScale(loss_scale_value=8)",
        "FixedLossScale(value=8)", "DynamicLossScale()", "DynamicLossScale(1, 2, 3, 4)",
        "DynamicLossScale(initial_loss_scale=8, increment_period=3, multiplier=4)",
        "DynamicLossScale(initial_scale=8)", "LossScale()", "OwnLossScale()", "OwnLossScale()()",
        "OwnLossScale().get_config()", "str(FixedLossScale(8))", "str(DynamicLossScale(8))",
        "FixedLossScale.__name__", "DynamicLossScale.__name__", "LossScale.__name__",
        "issubclass(FixedLossScale, LossScale)", "issubclass(DynamicLossScale, LossScale)",
    ]),
    group(ALL, "{scale}.{member}", scale=["FixedLossScale(8)", "DynamicLossScale(8, 3)"], member=[
        "__call__()", "get_config()", "initial_loss_scale", "increment_period", "multiplier",
        "loss_scale_value", "trainable_variables", "name", "increment_period.bit_length()",
    ]),
    group(ALL, "DynamicLossScale(8, 3).{member}", member=["_current_loss_scale",
        "_num_good_steps"]),
    group(ALL, "{cls}.from_config({config})", cls=["FixedLossScale", "DynamicLossScale",
        "OwnLossScale"], config=[
        "{}", "{'loss_scale_value': 8.0}", "{'initial_loss_scale': 8.0}", "{'increment_period': 3}",
        "{'initial_loss_scale': 8.0, 'increment_period': 3, 'multiplier': 4.0}", "None",
    ]),
    group(ALL, "{scale}.update({grads})[1]", scale=["FixedLossScale(8)", "DynamicLossScale(8, 1)"],
        grads=UPDATES),
    group(TF2, "s = DynamicLossScale(8, 1); s.update({grads}); s()", grads=UPDATES),
    # The experimental optimizer
    group(ALL, "experimental.LossScaleOptimizer(SGD(), {scale})", scale=LOSS_SCALES),
    group(ALL, "experimental.LossScaleOptimizer({opt}, 8)", opt=OPTIMIZERS),
    group(ALL, "experimental.LossScaleOptimizer({arguments})", arguments=[
        "", "SGD()", "SGD(), 8, 9", "SGD(), loss_scale=8", "optimizer=SGD(), loss_scale=8",
        "opt=SGD(), loss_scale=8", "inner_optimizer=SGD(), loss_scale=8", "SGD(), dynamic=True",
    ]),
    group(ALL, "{wrapped}.{member}", wrapped=WRAPPED, member=[
        "loss_scale", "iterations", "lr", "learning_rate", "get_config()", "weights",
        "get_weights()",
        "variables()", "get_slot_names()", "_optimizer", "momentum", "decay", "nesterov",
        "clipnorm",
        "clipvalue", "_name", "name", "beta_1", "inner_optimizer", "dynamic", "initial_scale",
        "dynamic_growth_steps", "dynamic_counter", "loss_scale.get_config()", "set_weights([])",
        "set_weights([3])", "apply_gradients([])",
        "foo", "__class__.__name__", "get_config()['loss_scale']", "minimize()",
    ]),
    group(ALL, "o = {wrapped}; o.{name} = 0.25; o._optimizer.{name}", wrapped=WRAPPED[:1], name=[
        "lr", "learning_rate", "momentum", "foo",
    ]),
    group(ALL, "{wrapped}.get_scaled_loss({loss})", wrapped=WRAPPED[:1], loss=LOSSES),
    group(ALL, "{wrapped}.get_scaled_loss(lambda: {loss})()", wrapped=WRAPPED[:1], loss=LOSSES[:3]),
    group(ALL, "{wrapped}.get_unscaled_gradients({grads})", wrapped=WRAPPED[:1], grads=GRADIENTS),
    group(ALL, "experimental.LossScaleOptimizer.from_config({config})", config=[
        "{}", "None", "{'optimizer': %s}" % SGD_CONFIG, "{'loss_scale': 8}",
        "{'optimizer': %s, 'loss_scale': 8}" % SGD_CONFIG,
        "{'optimizer': %s, 'loss_scale': None}" % SGD_CONFIG,
        "{'optimizer': %s, 'loss_scale': %s}" % (SGD_CONFIG, FIXED_CONFIG),
        "{'optimizer': %s, 'loss_scale': %s}" % (SGD_CONFIG, DYNAMIC_CONFIG),
        "{'optimizer': %s, 'loss_scale': %s}" % (SGD_CONFIG, UNKNOWN_CONFIG),
        "{'inner_optimizer': %s, 'dynamic': True, 'initial_scale': 8.0, 'dynamic_growth_steps': 3}" % SGD_CONFIG,
        "{'inner_optimizer': %s, 'dynamic': False, 'initial_scale': 8.0, 'dynamic_growth_steps': None}" % SGD_CONFIG,
    ]),
    group(TF2, "tf.keras.optimizers.serialize({wrapped})", wrapped=WRAPPED),
    group(TF2, "isinstance({wrapped}, {cls})", wrapped=WRAPPED[:1], cls=[
        "tf.keras.optimizers.Optimizer", "experimental.LossScaleOptimizer", "LossScale",
        "tf.Module",
    ]),
    # The optimizer of TensorFlow 1, and the graph rewrite
    group(ALL, "MixedPrecisionLossScaleOptimizer(GradientDescent(0.1), {scale})",
        scale=LOSS_SCALES),
    group(ALL, "MixedPrecisionLossScaleOptimizer({opt}, 8)", opt=OPTIMIZERS),
    group(ALL, "MixedPrecisionLossScaleOptimizer({arguments})", arguments=[
        "", "GradientDescent(0.1)", "GradientDescent(0.1), 8, 9",
        "opt=GradientDescent(0.1), loss_scale=8",
        "optimizer=GradientDescent(0.1), loss_scale=8",
    ]),
    group(ALL, "MixedPrecisionLossScaleOptimizer(Momentum(0.1, 0.5), {scale}).{member}", scale=["8",
        "DynamicLossScale(8, 3)"], member=[
        "get_name()", "get_slot_names()", "variables()", "_loss_scale",
        "_optimizer", "_learning_rate", "loss_scale", "GATE_NONE", "_use_locking",
        "__class__.__name__",
        "apply_gradients([])", "compute_gradients(None)", "minimize()", "foo",
    ]),
    group(ALL, "{rewrite}(SGD(), {scale})", rewrite=["rewrite", "rewrite_v1"], scale=["'dynamic'",
        "8", "0.5", "None", "'foo'", "[8.0]", "DynamicLossScale(8, 3, 4)", "OwnLossScale()", "{}"]),
    group(ALL, "{rewrite}({opt})", rewrite=["rewrite", "rewrite_v1"], opt=OPTIMIZERS),
    group(ALL, "rewrite({arguments})", arguments=["", "SGD(), 8, 9", "opt=SGD(), loss_scale=8",
        "optimizer=SGD()"]),
    group(ALL, "rewrite(SGD()); {then}", then=["set_policy('mixed_float16')", "rewrite(SGD())",
        "disable_rewrite()", "disable_rewrite(); set_policy(None)"]),
    # Policies
    group(ALL, "experimental.Policy('{name}')", name=NAMES),
    group(TF2, "experimental.Policy('{name}').{member}", name=NAMES[:7] + NAMES[10:12], member=[
        "compute_dtype", "variable_dtype", "should_cast_variables", "loss_scale", "get_config()",
    ]),
    group(ALL, "experimental.Policy({name})", name=NOT_NAMES),
    group(ALL, "experimental.Policy('mixed_float16', {scale})", scale=LOSS_SCALES),
    group(ALL, "experimental.Policy('{name}', 8)", name=["float32", "float16", "mixed_bfloat16"]),
    group(ALL, "experimental.Policy({arguments})", arguments=["", "'float32', None, 1",
        "name='float32'", "'float32', scale=8"]),
    group(TF2, "{policy}.{member}", policy=POLICIES, member=["get_config()", "name", "loss_scale",
        "foo", "__class__.__name__"]),
    group(TF2, "experimental.Policy.from_config({config})", config=[
        "{}", "None", "{'name': 'float32'}", "{'name': 'mixed_float16'}",
        "{'name': 'mixed_float16', 'loss_scale': None}",
        "{'name': 'mixed_float16', 'loss_scale': 8}",
        "{'name': 'mixed_float16', 'loss_scale': %s}" % FIXED_CONFIG,
        "{'name': 'mixed_float16', 'loss_scale': %s}" % UNKNOWN_CONFIG,
        "{'name': 'mixed_float16', 'other': 1}",
    ]),
    group(TF2, "{setting}; {then}", setting=SETTINGS, then=[
        "global_policy()", "global_policy().loss_scale", "Dense(1).dtype", "compiled('sgd')",
        "rewrite(SGD())",
        "Dense(1).get_config()['dtype']",
        "isinstance(compiled('sgd'), experimental.LossScaleOptimizer)",
    ]),
    group(TF2, "set_policy('{name}'); global_policy()", name=NAMES),
    group(ALL, "set_policy({name})", name=NOT_NAMES),
    group(ALL, "{then}", then=["global_policy()", "set_policy()", "global_policy(1)",
        "compiled('sgd')"]),
    group(SINCE_23, "{then}", then=[
        "get_layer_policy()", "get_layer_policy(1)", "get_layer_policy(None)",
        "get_layer_policy(Dense)",
        "get_layer_policy(Dense(1)).name", "get_layer_policy(Dense(1, dtype='float64')).name",
        "l = Dense(1); get_layer_policy(l) is get_layer_policy(l)",
        "p = experimental.Policy('mixed_float16', loss_scale=8); get_layer_policy(Dense(1, dtype=p)) is p",
        "l = Dense(1); get_layer_policy(l) is l._dtype_policy",
        "set_policy('mixed_float16'); get_layer_policy(Dense(1)) is global_policy()",
        "set_policy('mixed_float16'); global_policy() is global_policy()",
        "p = OwnPolicy('mixed_float16'); set_policy(p); global_policy() is p",
        "p = OwnPolicy('mixed_float16'); get_layer_policy(Dense(1, dtype=p)).own",
    ]),
    # What came with TensorFlow 2.4
    group(NEW, "mixed_precision.LossScaleOptimizer(SGD(), {dynamic})", dynamic=["True", "False",
        "None", "1", "'dynamic'", "8", "np.bool_(True)"]),
    group(NEW, "mixed_precision.LossScaleOptimizer(SGD(), dynamic={dynamic}, initial_scale={value})", dynamic=["True", "False"], value=NUMBERS),
    group(NEW, "mixed_precision.LossScaleOptimizer(SGD(), initial_scale=8, dynamic_growth_steps={value})", value=WHOLE_NUMBERS),
    group(NEW, "mixed_precision.LossScaleOptimizer(SGD(), False, 8, {value})", value=["None", "3",
        "0"]),
    group(NEW, "mixed_precision.LossScaleOptimizer({opt})", opt=OPTIMIZERS),
    group(NEW, "{wrapped}.{member}", wrapped=NEW_WRAPPED, member=[
        "dynamic", "loss_scale", "initial_scale", "dynamic_growth_steps", "dynamic_counter",
        "inner_optimizer",
        "get_config()", "learning_rate", "momentum", "foo", "get_slot_names()",
        "__class__.__name__",
    ]),
    group(NEW, "mixed_precision.LossScaleOptimizer.from_config({config})", config=[
        "{}", "{'inner_optimizer': %s}" % SGD_CONFIG,
        "{'inner_optimizer': %s, 'dynamic': False, 'initial_scale': 8.0}" % SGD_CONFIG,
        "{'inner_optimizer': %s, 'dynamic': True, 'initial_scale': 8.0, 'dynamic_growth_steps': 3}" % SGD_CONFIG,
        "{'inner_optimizer': %s, 'other': 1}" % SGD_CONFIG,
        "{'optimizer': %s, 'loss_scale': {'class_name': 'DynamicLossScale', 'config': {'multiplier': 4.0}}}" % SGD_CONFIG,
        "{'optimizer': %s, 'loss_scale': %s}" % (SGD_CONFIG, FIXED_CONFIG),
    ]),
    group(NEW, "mixed_precision.Policy('{name}')", name=NAMES),
    group(NEW, "mixed_precision.Policy({name})", name=[*NOT_NAMES, "'float32', 8",
        "name='float32'"]),
    group(NEW, "mixed_precision.set_global_policy('{name}'); {then}", name=["mixed_float16",
        "mixed_bfloat16", "float32", "int32"], then=[
        "mixed_precision.global_policy()", "global_policy() is mixed_precision.global_policy()",
        "compiled('sgd')",
        "hasattr(global_policy(), 'loss_scale')",
        "get_layer_policy(Dense(1)) is mixed_precision.global_policy()",
        "rewrite(SGD())", "type(compiled('sgd')) is mixed_precision.LossScaleOptimizer",
    ]),
]  # fmt: skip


def expressions(versions):
    """The expressions that any of some TensorFlow versions is asked, each once."""
    found = []
    for one in GROUPS:
        if set(versions) & set(one.versions):
            names = list(one.fields)
            for values in itertools.product(*one.fields.values()):
                found.append(one.template.format(**dict(zip(names, values))))
    return list(collections.OrderedDict.fromkeys(found))
