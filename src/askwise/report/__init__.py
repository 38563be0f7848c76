"""Reports: one page for every goal that needs neither the network nor a script, and the charts on it.

`page` writes the report of a session, `charts` draws for the report and the dashboard, and `templates` holds the words.
It may import sessions, goals and storage, and knows nothing about the web or the command line.
"""
