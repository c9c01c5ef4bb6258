# SPDX-License-Identifier: Apache-2.0
"""Calls a function on many things in worker processes, some of which may die of it."""

from __future__ import annotations

import concurrent.futures
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Item = TypeVar("Item")
Options = TypeVar("Options")
Answer = TypeVar("Answer")


def in_workers(
    call: Callable[[Item, Options], Answer],
    items: Sequence[Item],
    options: Options,
    workers: int,
) -> Iterator[tuple[Item, Answer | None]]:
    """Yields each item with `call(item, options)`, in the order in which they get done.

    Where a worker dies, the items that are left get a worker of their own each; the one that
    makes workers die is yielded with `None`.
    """
    done: set[int] = set()
    try:
        with concurrent.futures.ProcessPoolExecutor(workers) as pool:
            futures = {pool.submit(call, item, options): i for i, item in enumerate(items)}
            try:
                for future in concurrent.futures.as_completed(futures):
                    index = futures.pop(future)  # Its answer is not needed any more then.
                    answer = future.result()
                    done.add(index)
                    yield items[index], answer
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    except BrokenProcessPool:
        for index, item in enumerate(items):
            if index not in done:
                yield item, _alone(call, item, options)


def _alone(call: Callable[[Item, Options], Answer], item: Item, options: Options) -> Answer | None:
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(call, item, options).result()
        except BrokenProcessPool:
            return None
