# SPDX-License-Identifier: Apache-2.0
"""Whole models: the configs of their layers, losses and metrics, between tf-keras and Keras 3.

Both write the same `.keras` archive, and most layers have the same settings and variables in both.
What is the same is carried as it is, what has another name or form is rewritten, and what the other
Keras cannot read is reported, layer by layer. Nothing is built: JSON in, JSON out.
"""
