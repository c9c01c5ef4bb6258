# SPDX-License-Identifier: Apache-2.0
"""An optimizer is made here, wrapped there and stepped elsewhere."""

import tensorflow as tf
from stepping import run
from wrapping import wrap

for amp in (False, True):
    print(amp, run(wrap(tf.keras.optimizers.Adam(0.1), amp)))
    print(tf.config.optimizer.get_experimental_options().get("auto_mixed_precision"))
