# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Doubled(tf.keras.optimizers.SGD):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(2.0 * grad, var, apply_state)
