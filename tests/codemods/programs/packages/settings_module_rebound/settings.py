# SPDX-License-Identifier: Apache-2.0

LOSS_SCALE = 8
