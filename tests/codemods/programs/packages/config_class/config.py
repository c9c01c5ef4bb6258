# SPDX-License-Identifier: Apache-2.0

class Config:
    loss_scale = 128
    rate = 0.25


class Dynamic(Config):
    loss_scale = "dynamic"
