"""The types that the pages' scripts are checked against are the models that the API sends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from askwise.web import overview, schemas
from askwise.web.routes import owners

TYPES = (Path(overview.__file__).parent / "static" / "types.d.ts").read_text(encoding="utf-8")
INTERFACES = dict(re.findall(r"export interface (\w+) {\n(.*?)\n}", TYPES, re.DOTALL))
MODELS = {
    name: model
    for module in (overview, owners, schemas)
    for name, model in vars(module).items()
    if isinstance(model, type) and issubclass(model, BaseModel)
}
UNMODELLED = {"Absence", "Learned", "OddAnswer", "ResponseOutlook"}  # sent as plain dictionaries
OWN = {"CardsPage"}  # of the scripts alone


def test_every_type_has_a_model():
    assert set(INTERFACES) - UNMODELLED - OWN <= set(MODELS)
    assert len(INTERFACES) > len(UNMODELLED)


@pytest.mark.parametrize("name", sorted(set(INTERFACES) - UNMODELLED - OWN))
def test_every_field_that_a_page_reads_is_sent(name):
    fields = set(re.findall(r"^  (\w+)\??:", INTERFACES[name], re.MULTILINE))
    assert fields
    assert fields <= set(MODELS[name].model_fields)
