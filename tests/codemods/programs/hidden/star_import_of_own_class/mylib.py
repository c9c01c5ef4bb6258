# SPDX-License-Identifier: Apache-2.0

class LossScaleOptimizer:
    def __init__(self, opt, loss_scale):
        self.loss_scale = loss_scale
