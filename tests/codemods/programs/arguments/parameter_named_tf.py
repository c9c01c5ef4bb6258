# SPDX-License-Identifier: Apache-2.0
"""A parameter has the name of the module."""

import tensorflow


class Fake:
    class keras:
        class mixed_precision:
            class experimental:
                @staticmethod
                def LossScaleOptimizer(opt, scale):
                    return ("fake", scale)


def build(tf, scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), scale)


def build_fake(tf, scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(None, scale)


tf = tensorflow
print(type(build(tf, "dynamic")).__name__)
print(build_fake(Fake, 3))
