import contextlib
import sys

from agent import PROMPT, exported, read_file
from langchain.agents import create_agent

provider = exported()
if "openinference" in sys.argv:
    from openinference.instrumentation.langchain import LangChainInstrumentor
else:
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor as LangChainInstrumentor
LangChainInstrumentor().instrument(tracer_provider=provider)
from langchain.agents.middleware import wrap_tool_call
from langchain.messages import ToolMessage


@wrap_tool_call
def handled(request, handler):
    try:
        return handler(request)
    except OSError as error:
        return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")


agent = create_agent("openai:gpt-5-mini", [read_file], middleware=[handled])
with contextlib.suppress(FileNotFoundError):
    agent.invoke({"messages": [("user", PROMPT)]}, {"configurable": {"thread_id": "-".join(["thread", *sys.argv[1:]])}})
provider.shutdown()
