# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def describe(opt):
    return "scale %d" % float(opt.loss_scale())
