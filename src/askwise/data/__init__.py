"""Tables in: from data frames and files to arrays that a family of structures understands.

`tables` turns any data frame into plain columns, `readings` says how texts are numbers and dates, `embeddings` turns
texts and pictures into vectors, and `encoding` turns columns into features. `files` reads CSV, JSON, Excel, Parquet,
lists and folders of pictures, and `parquet` reads pools that do not fit in memory. This package knows only errors,
options and types.
"""
