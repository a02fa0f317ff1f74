import asyncio

from agent import PROMPT, exported, read_file
from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
import sys

provider = exported()
if "openinference" in sys.argv:
    from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor

    AutogenAgentChatInstrumentor().instrument(tracer_provider=provider)
info = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown", "structured_output": False}
client = OpenAIChatCompletionClient(model="gpt-5-mini", model_info=info)
agent = AssistantAgent("reader", model_client=client, tools=[read_file], max_tool_iterations=20)
asyncio.run(agent.run(task=PROMPT))
provider.shutdown()
