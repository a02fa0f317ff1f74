"""The crew of the README's example: its model repeats one call for ever. And how the tests make others."""

import json
import os
from itertools import count, repeat
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool


class Scripted(BaseLLM):
    """Asks for one file after another, by the native calls of tools."""

    paths: Any = ()
    numbers: Any = None

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages, tools=None, callbacks=None, available_functions=None, **_):
        path = next(self.paths, None)
        if path is None:
            return "Done."
        function = {"name": "read_file", "arguments": json.dumps({"path": path})}
        return [{"id": f"c{next(self.numbers)}", "type": "function", "function": function}]


def crew_of(read_file, paths):
    """A crew whose agent reads these files."""
    model = Scripted(model="scripted", paths=iter(paths), numbers=count())
    agent = Agent(role="reader", goal="read", backstory="reads", tools=[tool("read_file")(read_file)], llm=model)
    return Crew(agents=[agent], tasks=[Task(description="Read", expected_output="text", agent=agent)], tracing=False)


runs = 0


def read_file(path: str) -> str:
    """Reads a file."""
    global runs
    runs += 1
    return f"Error: {path} not found"


crew = crew_of(read_file, repeat("config.yaml"))
