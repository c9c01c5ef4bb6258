# SPDX-License-Identifier: Apache-2.0
"""Coroutines make the optimizer, and take its steps."""

import asyncio

import tensorflow as tf


async def make(scale):
    await asyncio.sleep(0)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), loss_scale=scale
    )


async def main():
    opt = await make(64)
    weight = tf.Variable(1.0)
    async for gradient in gradients():
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(weight.numpy(), opt.loss_scale().numpy())


async def gradients():
    for gradient in [1.0, float("nan"), 0.5]:
        await asyncio.sleep(0)
        yield gradient


asyncio.run(main())
