"""What goals are made of: the `Goal` class, its options, the charts it returns and the registry that finds goals.

Goals that ask alike share a base class here (`items`, `clusterings`), and `findings` and `groups` turn posterior draws
into small tables. This package knows sessions and everything below them, but no files, no HTML and no web.
"""
