# SPDX-License-Identifier: Apache-2.0
"""Lets `BackupAndRestore` go on from a folder of TensorFlow 2.3.

TensorFlow 2.3 wrote the checkpoint into the folder itself, and later versions into `chief/` in it,
where they look for it. With a folder of 2.3, they silently start again at epoch 0.
"""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any

import tensorflow as tf

from compat_lossscale._patching import Undo, set_attribute

_EPOCH = "ckpt_saved_epoch/.ATTRIBUTES/VARIABLE_VALUE"


def put_backups(undo: Undo) -> None:
    """Wraps two methods of the callback: it begins from an old backup, and deletes it at the end.

    Args:
        undo: What takes that back.
    """
    cls = importlib.import_module("tf_keras").callbacks.BackupAndRestore
    begin, end = cls.on_train_begin, cls.on_train_end

    @functools.wraps(begin)
    def on_train_begin(self: Any, logs: Any = None) -> None:
        begin(self, logs)
        manager = self._training_state.read_checkpoint_manager
        backup = _old_backup(self.backup_dir)
        if backup is not None and manager.latest_checkpoint is None:
            manager.checkpoint.restore(backup)
            _go_on_after_the_epoch(self._training_state, backup)

    @functools.wraps(end)
    def on_train_end(self: Any, logs: Any = None) -> None:
        state = self._training_state
        end(self, logs)
        backup = _old_backup(self.backup_dir)
        is_chief = state.write_checkpoint_manager is state.read_checkpoint_manager
        if backup is not None and self.delete_checkpoint and is_chief:
            for path in (*tf.io.gfile.glob(f"{backup}.*"), f"{self.backup_dir}/checkpoint"):
                tf.io.gfile.remove(path)

    set_attribute(cls, "on_train_begin", on_train_begin, undo)
    set_attribute(cls, "on_train_end", on_train_end, undo)


def _old_backup(folder: Any) -> str | None:
    """Returns the checkpoint that TensorFlow 2.3 wrote into a folder, if there is one."""
    backup: str | None = tf.train.latest_checkpoint(os.fspath(folder))
    if backup is None or _EPOCH not in dict(tf.train.list_variables(backup)):
        return None
    return backup


def _go_on_after_the_epoch(state: Any, backup: str) -> None:
    """Lets training begin after the saved epoch, however often it makes backups.

    With a number as `save_freq`, it begins after the saved batch, and the old file has none.
    """
    epoch = int(tf.train.load_variable(backup, _EPOCH))
    if epoch >= 0:
        state.maybe_load_initial_counters_from_ckpt = lambda *_args, **_kwargs: (epoch + 1, 0)
