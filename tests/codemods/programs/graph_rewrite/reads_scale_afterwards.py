# SPDX-License-Identifier: Apache-2.0
"""The rewritten optimizer is unwrapped again, for its learning rate."""

import tensorflow as tf

opt = tf.keras.optimizers.Adam(0.5, decay=0.5)
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt)
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), var)])
base = getattr(opt, "_optimizer", opt)
print(var.numpy(), float(base.lr), float(base._decayed_lr(tf.float32)), float(opt.loss_scale()))
