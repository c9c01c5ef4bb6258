# SPDX-License-Identifier: Apache-2.0
"""`experimental_run_v2` and `map_vectorization`."""
# versions: 2.3
import tensorflow as tf

from observe import observe

strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
observe("args", int(strategy.experimental_run_v2(lambda a, b: a - b, args=(5, 3))))
observe("kwargs", int(strategy.experimental_run_v2(lambda a, b: a - b, args=(5,), kwargs={"b": 1})))
observe("without", strategy.experimental_run_v2(lambda: tf.distribute.in_cross_replica_context()))
observe("default", int(tf.distribute.get_strategy().experimental_run_v2(lambda: 7)))
