"""The widget of a session."""

from __future__ import annotations

from typing import Any

from askwise.errors import AskwiseError, SettingError
from askwise.notebook.assets import script
from askwise.notebook.state import widget_state
from askwise.session import Session

try:
    import anywidget
    import traitlets
except ModuleNotFoundError:
    raise SettingError("session.widget() needs anywidget; install it with: pip install 'askwise[notebook]'") from None


class QuestionWidget(anywidget.AnyWidget):
    """The questions of a session as cards in a notebook. `session.widget()` makes it.

    The notebook sends a request for each answer, skip and undo, with a key of its own, and the session counts it once.
    What the session refuses, people read in the widget.

    :param session: The session whose questions are shown.

    >>> from askwise import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> shown = QuestionWidget(session)
    >>> shown.request = {"path": "answers", "question": "q1", "response": "left", "key": "0123abcd"}
    >>> len(session.answers), shown.state["reply"]
    (1, '0123abcd')
    """

    _esm = script()
    state = traitlets.Dict().tag(sync=True)
    request = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session):
        self.session = session
        super().__init__(state=widget_state(session))

    @traitlets.observe("request")
    def _handle_request(self, change: Any) -> None:
        request, notice = change["new"], ""
        if not request:
            return
        try:
            try:
                self._apply(request)
            except AskwiseError as error:
                notice = str(error) if str(error).endswith((".", "?")) else f"{error}."
            self.state = widget_state(self.session, notice, request["key"])
        except Exception as error:  # the notebook waits for a reply
            self.state = {**self.state, "notice": f"This failed: {error!r}.", "reply": request["key"]}
            raise

    def _apply(self, request: dict[str, Any]) -> None:
        """Tells the session what the notebook asks for."""
        key, seconds = request["key"], request.get("seconds")
        if request["path"] == "answers":
            self.session.tell(request["response"], request["question"], seconds=seconds, key=key)
        elif request["path"] == "skips":
            self.session.skip(request["question"], request["reason"], seconds=seconds, key=key)
        else:
            self.session.undo(key=key)


def question_widget(session: Session) -> QuestionWidget:
    """The widget that asks the questions of a session."""
    return QuestionWidget(session)
