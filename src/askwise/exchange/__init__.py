"""Answers, draws and models that leave a study or come into one.

Tables of answers are checked row by row before any is recorded; draws leave as named variables (CSV, Parquet, ArviZ)
and classifiers as scikit-learn estimators. The web and the command call these functions and add nothing to them.
"""
