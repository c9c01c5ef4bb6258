# SPDX-License-Identifier: Apache-2.0
"""HTML reports: each is one file that loads nothing, and is complete without its script.

The reports show the content of other people's files. Every text is escaped when it is added to the
page. In case that fails, a content security policy allows no script but the page's own.
"""
