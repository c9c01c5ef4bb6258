# SPDX-License-Identifier: Apache-2.0
"""Names in brackets are aligned, and classes wrap what a method makes."""

import abc
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import (LossScaleOptimizer as _LSO,
                                                           set_policy as _set,
                                                           Policy)


class Base(abc.ABC):
    policy: "Policy" = Policy("mixed_float16")
    opt_cls: "type[_LSO]"

    @property
    @abc.abstractmethod
    def optimizer(self) -> "_LSO": ...

    @staticmethod
    def wrap(o: "tf.keras.optimizers.Optimizer", s: "str | float" = "dynamic") -> "_LSO":
        return _LSO(o, s)


class Impl(Base):
    @property
    def optimizer(self):
        if not hasattr(self, "_o"):
            self._o = self.wrap(tf.keras.optimizers.Nadam(0.5), 4.0)
        return self._o


i = Impl()
_set(i.policy)
v = tf.Variable(1.0)
i.optimizer.apply_gradients([(tf.constant(1.0), v)])
print(v.numpy(), i.optimizer.loss_scale().numpy(), isinstance(i.optimizer, _LSO))
