# SPDX-License-Identifier: Apache-2.0


def train():
    from tensorflow.compat.v1 import train as v1_train

    return v1_train
