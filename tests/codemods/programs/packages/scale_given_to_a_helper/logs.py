# SPDX-License-Identifier: Apache-2.0


def describe(scale):
    return "scale %.1f" % scale()
