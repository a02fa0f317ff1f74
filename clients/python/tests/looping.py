"""What the tests share: the server they talk to, and guards."""

import json
import os
import urllib.request
import uuid

from loopwatch import Guard

URL = os.environ["LOOPWATCH_URL"]
DENIED = "Loopwatch denied this call: "


def new_guard(**options) -> Guard:
    return Guard(URL, **{"session": f"py-{uuid.uuid4()}", "agent": "tester", "timeout": 20, **options})


def get(path: str):
    with urllib.request.urlopen(f"{URL}/api/v1{path}") as answer:
        return json.loads(answer.read())


class Counter:
    """A tool that fails the same way each time, and counts."""

    def __init__(self) -> None:
        self.runs = 0

    def read_file(self, path: str) -> str:
        """Reads a file."""
        self.runs += 1
        return f"Error: {path} not found"
