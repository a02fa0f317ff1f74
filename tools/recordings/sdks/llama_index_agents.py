import asyncio
import contextlib
import sys

from agent import MODEL, PROMPT, exported, read_file

provider = exported()
if "openinference" in sys.argv:
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
else:
    from opentelemetry.instrumentation.llamaindex import LlamaIndexInstrumentor
LlamaIndexInstrumentor().instrument(tracer_provider=provider)
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

llm = OpenAILike(model="gpt-5-mini", api_base=MODEL, api_key="none", is_chat_model=True, is_function_calling_model=True)
agent = FunctionAgent(tools=[read_file], llm=llm, name="reader")


async def main():
    await agent.run(PROMPT)


with contextlib.suppress(FileNotFoundError):
    asyncio.run(main())
provider.shutdown()
