"""Texts as numbers: hashed n-grams of letters, reduced to a few columns."""

from __future__ import annotations

import numpy as np

from askwise.data.tables import Columns, is_text
from askwise.errors import DataError, SettingError

HASH_BUCKETS = 2**12  # for n-grams
MAX_ROWS = 10_000  # all pairs of texts are compared
MAX_COLUMNS = 8  # of features


def with_text_features(columns: Columns, column: str) -> Columns:
    """The table `columns` with more columns `text 1`, `text 2`, ...: numbers for the texts of one `column`.

    Texts that share words have similar numbers.

    >>> made = with_text_features({"text": ["red wine", "red wines", "green tea", "green teas"]}, "text")
    >>> sorted(made)
    ['text', 'text 1', 'text 2', 'text 3']
    """
    if column not in columns:
        raise DataError(f"there is no column {column!r} of texts; the columns are {', '.join(columns)}")
    if not is_text(columns[column]):
        raise DataError(f"column {column!r} holds no texts; columns of numbers are features as they are")
    try:
        from sklearn.feature_extraction.text import HashingVectorizer
    except ModuleNotFoundError:
        raise SettingError("texts need scikit-learn; install it with: pip install 'askwise[sklearn]'") from None
    if len(columns[column]) > MAX_ROWS:
        raise DataError(f"texts become features for up to {MAX_ROWS:,} rows, got {len(columns[column]):,}; give fewer")
    texts = [str(value or "") for value in columns[column]]
    hashed = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 5), n_features=HASH_BUCKETS, alternate_sign=False)
    grams = hashed.transform(texts)
    common = np.asarray(grams.mean(axis=0))
    alike = (grams @ grams.T).toarray() - (grams @ common.T) - (grams @ common.T).T + (common @ common.T)
    sizes, directions = np.linalg.eigh(alike)
    kept = [i for i in np.argsort(-sizes)[:MAX_COLUMNS] if sizes[i] > 1e-8 * sizes[-1]]
    if not kept or sizes[-1] <= 0:
        raise DataError(f"the texts of column {column!r} are all the same; nothing tells the rows apart")
    parts = directions[:, kept] * np.sqrt(sizes[kept])
    parts *= np.where(parts[np.abs(parts).argmax(axis=0), np.arange(len(kept))] < 0, -1.0, 1.0)
    return {**columns, **{f"{column} {i + 1}": parts[:, i].round(9).tolist() for i in range(len(kept))}}
