# SPDX-License-Identifier: Apache-2.0
"""Loss scales to and from the configs of TensorFlow 2.0 to 2.3, by Keras 3's registry."""

from __future__ import annotations

import keras

from compat_lossscale.members.loss_scales import LossScaleConfigs

configs = LossScaleConfigs(keras.saving.get_registered_name, keras.saving.get_registered_object)
