# SPDX-License-Identifier: Apache-2.0
"""One module for each stored format, which `formats.reading` lists.

Each has `FORMAT`, the name of the format for users; `SUFFIXES` of the files that are searched for
in folders; `matches(path)`, whether a file or folder has the format, by its content if possible;
and `read(path)`, which returns an `Artefact` or raises an `UnreadableArtefactError`.
"""
