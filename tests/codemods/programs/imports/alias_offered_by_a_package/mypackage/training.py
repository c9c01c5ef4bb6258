# SPDX-License-Identifier: Apache-2.0

from . import mp


def make(wrapper, opt):
    return wrapper(opt, 16) if wrapper is not mp.Policy else None
