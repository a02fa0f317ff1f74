import asyncio

from agent import PROMPT, exported, read_file

provider = exported()
from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai import types


def read(path: str) -> dict:
    """Reads a file."""
    try:
        return {"text": read_file(path)}
    except OSError as error:
        return {"error": str(error)}


read.__name__ = "read_file"


async def main() -> None:
    agent = LlmAgent(name="reader", model=LiteLlm(model="openai/gpt-5-mini"), tools=[read])
    runner = InMemoryRunner(agent=agent, app_name="reader")
    session = await runner.session_service.create_session(app_name="reader", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text=PROMPT)])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        pass


asyncio.run(main())
provider.shutdown()
