"""The agent that LangChain's instrumentations and callbacks are recorded with; import it after them."""

from agent import read_file
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain.messages import ToolMessage


@wrap_tool_call
def handled(request, handler):
    try:
        return handler(request)
    except OSError as error:
        return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")


agent = create_agent("openai:gpt-5-mini", [read_file], middleware=[handled])
