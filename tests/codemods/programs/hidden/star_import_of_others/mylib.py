# SPDX-License-Identifier: Apache-2.0

RATE = 0.25
