# SPDX-License-Identifier: Apache-2.0
"""In 2.4 hyperparameters are delegated both ways, and named by dir()."""
# versions: 2.4
import tensorflow as tf

from observe import observe, observe_error

inner = tf.keras.optimizers.Adam(0.5, beta_1=0.75, beta_2=0.5)
opt = tf.keras.mixed_precision.LossScaleOptimizer(inner)
observe("beta_1", opt.beta_1)
observe("learning_rate", opt.learning_rate)
opt.beta_1 = 0.25
opt.lr = 0.125
observe("inner.beta_1", inner.beta_1)
observe("inner.lr", inner.lr)
observe("in_dir", [name in dir(opt) for name in ["beta_1", "lr", "learning_rate", "momentum"]])
observe("hasattr", [hasattr(opt, name) for name in ["beta_2", "momentum", "clipnorm"]])
observe_error("epsilon", lambda: opt.epsilon)
opt.something_else = 3
observe("own_attribute", [opt.something_else, hasattr(inner, "something_else")])
