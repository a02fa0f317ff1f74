"""Cases come as JSON lines on standard input; outcomes go out the same way, one a line, as each case ends."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

PROMPT = "Is it warmer in Paris or in Rome?"
API_KEY = "sk-client-test"
MAX_TURNS = 12
TOOL_NAME = "get_weather"
TOOL_DESCRIPTION = "The weather in a city"
TOOL_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Case:
    """One run of an agent: who asks what, through which gateway."""

    id: str
    url: str
    model: str
    api: str
    stream: bool

    @property
    def headers(self) -> dict[str, str]:
        return {"x-session-id": self.id}


GetWeather = Callable[[str], str]


def run_cases(run: Callable[[Case, GetWeather], str]) -> None:
    for line in sys.stdin:
        case = Case(**json.loads(line))
        calls = 0

        def get_weather(city: str) -> str:
            nonlocal calls
            calls += 1
            return "25 degrees" if city == "Rome" else "20 degrees"

        text, error = "", None
        try:
            text = run(case, get_weather)
        except Exception as raised:  # Whatever a client raises is an outcome.
            error = f"{type(raised).__name__}: {raised}"
        outcome = {"id": case.id, "calls": calls, "text": text, "error": error}
        print(json.dumps(outcome), flush=True)
