# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from packaging.version import Version

TF_24 = Version(tf.__version__) >= Version("2.4.0")
