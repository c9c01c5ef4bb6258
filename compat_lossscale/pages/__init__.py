# SPDX-License-Identifier: Apache-2.0
"""HTML reports: each is one file that loads nothing, and says everything without its script.

What is shown comes out of other people's files. Every text is escaped where it enters the page, and
a content security policy lets no other script run than the page's own, should that ever fail.
"""
