# SPDX-License-Identifier: Apache-2.0

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float = 0.25
    loss_scale: typing.Union[float, str] = "dynamic"


def parse(text):
    name, value = text.split("=")
    return dataclasses.replace(Config(), **{name: int(value)})
