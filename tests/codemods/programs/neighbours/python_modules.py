# SPDX-License-Identifier: Apache-2.0
"""What Python's modules had up to 3.8, in a program that reads its settings."""

import base64
import os
import xml.etree.cElementTree as ET
from base64 import decodestring

import tensorflow as tf

settings = ET.fromstring("<settings lr='0.25' scale='ZHluYW1pYw=='/>")
scale = decodestring(settings.get("scale").encode()).decode()
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(float(settings.get("lr"))), scale)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
try:
    os.stat("no such file")
except OSError as error:
    print(error.errno == os.errno.ENOENT, base64.encodestring(b"x"))
