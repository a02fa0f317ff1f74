"""The agent of the README's examples: its model repeats one call for ever."""

from itertools import count

from agents import ModelResponse, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool
from openai.types.responses import ResponseFunctionToolCall
from pydantic_ai.messages import ModelResponse as Response
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.function import FunctionModel

set_tracing_disabled(True)
runs = 0


def read_file(path: str) -> str:
    """Reads a file."""
    global runs
    runs += 1
    return f"Error: {path} not found"


def calls():
    for _ in range(20):
        yield "config.yaml"


class Chat(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self


def messages():
    for n in count():
        yield AIMessage("", tool_calls=[{"id": f"c{n}", "name": "read_file", "args": {"path": "config.yaml"}}])


class Repeating(Model):
    numbers = count()

    async def get_response(self, *_, **__):
        arguments = '{"path": "config.yaml"}'
        call = ResponseFunctionToolCall(
            call_id=f"c{next(self.numbers)}", name="read_file", arguments=arguments, type="function_call"
        )
        return ModelResponse(output=[call], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


chat_model = Chat(messages=messages())
read_tool = StructuredTool.from_function(read_file, name="read_file")
agents_model = Repeating()
agents_tool = function_tool(read_file, name_override="read_file")
function_model = FunctionModel(lambda *_: Response([ToolCallPart("read_file", {"path": "config.yaml"})]))
