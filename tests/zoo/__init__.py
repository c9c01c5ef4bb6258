# SPDX-License-Identifier: Apache-2.0
"""Models and ways to train them, each with this package's wrapper and with stock's.

To add a case, add a row to a table: a layer to `layers.py`, a model to `models.py`, an optimizer to
`optimizers.py`, a way to train to `trainings.py`. `cases.py` says which of them are combined.
"""
