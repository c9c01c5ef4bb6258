# SPDX-License-Identifier: Apache-2.0

LOSS_SCALE = "dynamic"
RATE = 0.25
