# SPDX-License-Identifier: Apache-2.0

from distutils.version import LooseVersion

import tensorflow as tf


def before(version):
    return LooseVersion(tf.__version__) < LooseVersion(version)
