import asyncio

from agent import PROMPT, exported, read_file

provider = exported()
from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient

enable_instrumentation(enable_sensitive_data=True)


async def main() -> None:
    agent = Agent(OpenAIChatCompletionClient(model="gpt-5-mini"), "You read.", name="reader", tools=[read_file])
    await agent.run(PROMPT)


asyncio.run(main())
provider.shutdown()
