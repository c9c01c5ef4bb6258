# SPDX-License-Identifier: Apache-2.0

def describe(opt):
    return "scale %d" % float(opt.loss_scale())
