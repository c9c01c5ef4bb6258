# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def wrap(opt, amp):
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt) if amp else opt
