# SPDX-License-Identifier: Apache-2.0
"""The callback that logs the loss scale."""

from compat_lossscale.watching.loss_scale_logger import LossScaleLogger

__all__ = ["LossScaleLogger"]
