# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Capped(tf.mixed_precision.experimental.DynamicLossScale):
    def update(self, grads):
        done, finite = super().update(grads)
        self._current_loss_scale.assign(tf.minimum(self._current_loss_scale, 64.0))
        return done, finite
