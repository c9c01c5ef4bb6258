# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def enable(optimizer):
    """Returns the optimizer that scales the loss."""
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(optimizer, loss_scale="dynamic")
