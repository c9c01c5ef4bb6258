# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Mine(tf.train.experimental.DynamicLossScale):
    def update(self, grads):
        print("updating")
        return super().update(grads)
