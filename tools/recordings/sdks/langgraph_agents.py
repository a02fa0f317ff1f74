import contextlib
import sys

from agent import PROMPT, exported

provider = exported()
if "openinference" in sys.argv:
    from openinference.instrumentation.langchain import LangChainInstrumentor
else:
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor as LangChainInstrumentor
LangChainInstrumentor().instrument(tracer_provider=provider)
from langchain_agent import agent

with contextlib.suppress(FileNotFoundError):
    agent.invoke({"messages": [("user", PROMPT)]}, {"configurable": {"thread_id": "-".join(["thread", *sys.argv[1:]])}})
provider.shutdown()
