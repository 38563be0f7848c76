"""Tables in: from data frames and files to arrays that a family of structures understands.

`tables` turns any data frame into plain columns, `encoding` turns columns into features, `files` reads CSV, JSON Lines,
Parquet and folders of pictures, and `parquet` reads pools that do not fit in memory. This package knows only errors,
options and types.
"""
