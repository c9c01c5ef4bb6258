# SPDX-License-Identifier: Apache-2.0

CLASSES = {}


def build(name, *args, **kwargs):
    return CLASSES[name](*args, **kwargs)
