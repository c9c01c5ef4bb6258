# SPDX-License-Identifier: Apache-2.0
"""Trains with the graph rewrite around Adam; writes or restores a tf.train.Saver's checkpoint.

    python saving.py write PREFIX           # under TensorFlow's own classes
    python saving.py restore PREFIX ours    # under this package's

Prints, as JSON, values of all variables by name, every 97th number of each: `saved` when the
checkpoint was written or restored, and `continued` some steps later. The matrix is large enough for
its gradient to wait for the branch that applies it. Old Pythons run this file, from 3.7 on.
"""

# ruff: noqa: PTH107, PTH118, PTH120

import json
import os
import sys

if sys.argv[3:] == ["ours"]:
    import compat_lossscale

    compat_lossscale.install()

import numpy as np
import tensorflow.compat.v1 as tf

ROWS, COLUMNS = 30, 20
STEPS_BEFORE, STEPS_AFTER, NAN_STEP = 4, 3, 2


def build():
    """The program. Returns its placeholder and its step."""
    given = tf.placeholder(tf.float32, [2, ROWS])
    with tf.variable_scope("model"):
        kernel = tf.get_variable("kernel", [ROWS, COLUMNS], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [COLUMNS], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(tf.matmul(given, kernel) + bias)
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.train.AdamOptimizer(0.125))
    return given, opt.minimize(loss, global_step=tf.train.get_or_create_global_step())


def train(session, given, step, steps):
    """Trains, and returns values of all variables by name."""
    for number in steps:
        row = [number + index / 8 - 2 for index in range(ROWS)]
        bad = [float("nan")] * ROWS
        session.run(step, {given: [row, bad if number == NAN_STEP else row]})
    variables = {variable.op.name: variable for variable in tf.global_variables()}
    values = session.run(variables)
    return {name: np.ravel(each)[::97].tolist() for name, each in values.items()}


def main():
    """Writes or restores, trains on, and prints what came of it."""
    action, prefix = sys.argv[1:3]
    tf.disable_v2_behavior()
    given, step = build()
    with tf.Session() as session:
        if action == "write":
            session.run(tf.global_variables_initializer())
            saved = train(session, given, step, range(STEPS_BEFORE))
            tf.train.Saver().save(session, prefix, write_meta_graph=False)
            os.remove(os.path.join(os.path.dirname(prefix), "checkpoint"))
        else:
            tf.train.Saver().restore(session, prefix)
            saved = train(session, given, step, [])
        after = range(STEPS_BEFORE, STEPS_BEFORE + STEPS_AFTER)
        continued = train(session, given, step, after)
    json.dump({"saved": saved, "continued": continued}, sys.stdout, sort_keys=True)


if __name__ == "__main__":
    main()
