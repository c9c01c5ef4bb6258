# SPDX-License-Identifier: Apache-2.0
"""Loss scales to and from the configs of TensorFlow 2.0 to 2.3, by tf-keras' registry."""

from __future__ import annotations

import tf_keras

from compat_lossscale.members.loss_scales import LossScaleConfigs

configs = LossScaleConfigs(tf_keras.utils.get_registered_name, tf_keras.utils.get_registered_object)

serialize = configs.serialize
deserialize = configs.deserialize
interpret = configs.interpret
get = configs.get
