# SPDX-License-Identifier: Apache-2.0
import state


def scale():
    return float(state.opt.loss_scale())
