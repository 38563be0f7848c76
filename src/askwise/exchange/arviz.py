"""Posterior draws as a netCDF file for ArviZ."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from askwise.errors import SettingError
from askwise.exchange.answers import answers_table
from askwise.exchange.draws import DEFAULT_DRAWS, variables
from askwise.exchange.files import as_one_type, replace_file
from askwise.session import Session


def to_netcdf(session: Session, path: str | Path, count: int = DEFAULT_DRAWS) -> None:
    """Writes an InferenceData file, which `arviz.from_netcdf` reads.

    The group `posterior` has the draws, always as one chain. `observed_data` has the answers that count, and
    `sample_stats` the diagnostics of the sampler.

    - `session`: whose posterior it is.
    - `path`: a file that ends in .nc; an existing one is replaced.
    - `count`: how many draws.

    >>> import askwise, tempfile, xarray
    >>> path = tempfile.mkdtemp() + "/draws.nc"
    >>> to_netcdf(askwise.best_item(["tea", "coffee"], seed=1), path, 10)
    >>> dict(xarray.load_dataset(path, group="posterior")["utility"].sizes)
    {'chain': 1, 'draw': 10, 'item': 2}
    """
    try:
        import h5netcdf  # noqa: F401  xarray writes with it
        from xarray import Dataset
    except ModuleNotFoundError:
        raise SettingError(
            ".nc files need ArviZ's libraries; install them with: pip install 'askwise[arviz]'"
        ) from None
    from askwise import __version__

    named = variables(session, count)
    axes = {axis: list(names) for variable in named.values() for axis, names in variable.axes.items()}
    answers = answers_table(session)
    in_force = [row for row, status in enumerate(answers["status"]) if status == "answered"]
    responses = as_one_type([answers["response"][row] for row in in_force])
    about = {"goal": session.pursued["goal"] if session.pursued else "", "inference_library": "askwise"}
    groups = {
        None: Dataset(attrs={**about, "inference_library_version": __version__}),
        "posterior": Dataset(
            {name: (("chain", "draw", *variable.axes), variable.values[None]) for name, variable in named.items()},
            coords={"chain": [0], "draw": np.arange(count), **axes},
        ),
        "observed_data": Dataset(
            {"response": ("answer", responses)}, coords={"answer": [answers["question"][row] for row in in_force]}
        ),
        "sample_stats": Dataset(dict(session.posterior.diagnostics())),
    }
    with replace_file(path) as draft:
        for group, content in groups.items():
            content.to_netcdf(draft, mode="w" if group is None else "a", group=group, engine="h5netcdf")
