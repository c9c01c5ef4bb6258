# SPDX-License-Identifier: Apache-2.0
"""A subclass in another file reads what its base class holds."""

from base import Base


class Trainer(Base):
    def scale(self):
        return self.opt.loss_scale().numpy()


print(Trainer().scale())
