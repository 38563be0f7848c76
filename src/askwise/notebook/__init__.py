"""Cards in a notebook: `session.widget()` asks its questions where the session is, without a server.

`state` says what is shown, `assets` makes one script of the web app's cards and of `static/widget.js`, and `widget`
takes the answers. The web app is used for its pages and sentences alone; nothing here starts a server.
"""
