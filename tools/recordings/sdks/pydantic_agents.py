import contextlib
import sys

from agent import PROMPT, exported, read_file
from pydantic_ai import Agent, InstrumentationSettings

provider = exported()
Agent.instrument_all(InstrumentationSettings(include_content="no-content" not in sys.argv))
agent = Agent("openai-chat:gpt-5-mini", retries=10)


@agent.tool_plain(name="read_file")
def read(path: str) -> str:
    from pydantic_ai import ModelRetry

    try:
        return read_file(path)
    except OSError as error:
        raise ModelRetry(str(error)) from error


with contextlib.suppress(Exception):
    agent.run_sync(PROMPT)
provider.shutdown()
