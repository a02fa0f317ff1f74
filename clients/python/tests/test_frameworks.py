"""The guard in agents of real frameworks, whose model is a script."""

import asyncio
import unittest

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, interrupt
from looping import DENIED, Counter, new_guard

from loopwatch.langchain import LoopwatchMiddleware
from loopwatch.langgraph import guarded
from loopwatch.openai_agents import guarded_tools, tool_use_behavior
from loopwatch.pydantic_ai import GuardedToolset

LOOP = ["config.yaml"] * 12
HEALTHY = [f"part-{n}.yaml" for n in range(4)]


class Reader(Counter):
    """Fails for the configuration only."""

    def read_file(self, path: str) -> str:
        """Reads a file."""
        self.runs += 1
        return f"Error: {path} not found" if path == "config.yaml" else f"text of {path}: {len(path) * 37}"


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self


def scripted(paths):
    calls = [
        AIMessage("", tool_calls=[{"id": f"c{n}", "name": "read_file", "args": {"path": path}}])
        for n, path in enumerate(paths)
    ]
    return Scripted(messages=iter([*calls, AIMessage("Done.")]))


def tool_of(reader):
    return StructuredTool.from_function(reader.read_file, name="read_file")


def by_langchain(guard, reader, paths):
    agent = create_agent(scripted(paths), [tool_of(reader)], middleware=[LoopwatchMiddleware(guard)])
    messages = agent.invoke({"messages": [("user", "Read the files")]}, {"recursion_limit": 100})["messages"]
    return messages[-1].text


def by_langchain_async(guard, reader, paths):
    agent = create_agent(scripted(paths), [tool_of(reader)], middleware=[LoopwatchMiddleware(guard)])
    given = {"messages": [("user", "Read the files")]}
    return asyncio.run(agent.ainvoke(given, {"recursion_limit": 100}))["messages"][-1].text


def by_langgraph(guard, reader, paths):
    model = scripted(paths)
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([tool_of(reader)], **guarded(guard)))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_conditional_edges("tools", lambda _: END if guard.stopped else "model")
    guard.prompt("Read the files")
    return graph.compile().invoke({"messages": [("user", "Read")]}, {"recursion_limit": 100})["messages"][-1].text


def by_openai_agents(guard, reader, paths):
    from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class ScriptedModel(Model):
        def __init__(self):
            self.calls = enumerate(paths)

        async def get_response(self, *_, **__):
            number, path = next(self.calls, (0, None))
            if path is None:
                text = ResponseOutputText(text="Done.", type="output_text", annotations=[])
                item = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            else:
                arguments = f'{{"path": "{path}"}}'
                item = ResponseFunctionToolCall(call_id=f"c{number}", name="read_file", arguments=arguments, type="function_call")
            return ModelResponse(output=[item], usage=Usage(), response_id=None)

        def stream_response(self, *_, **__):
            raise NotImplementedError

    agent = Agent(
        name="Reader",
        model=ScriptedModel(),
        tools=guarded_tools(guard, [function_tool(reader.read_file, name_override="read_file")]),
        tool_use_behavior=tool_use_behavior(guard),
    )
    guard.prompt("Read the files")
    run = Runner.run(agent, "Read the files", max_turns=50, run_config=RunConfig(tracing_disabled=True))
    return asyncio.run(run).final_output


def by_pydantic_ai(guard, reader, paths):
    from pydantic_ai import Agent, FunctionToolset
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    left = iter(paths)

    def answer(_messages, _info):
        path = next(left, None)
        return ModelResponse([TextPart("Done.") if path is None else ToolCallPart("read_file", {"path": path})])

    toolset = FunctionToolset([reader.read_file])
    agent = Agent(FunctionModel(answer), toolsets=[GuardedToolset(toolset, guard)])
    guard.prompt("Read the files")

    async def run():
        async with agent.iter("Read the files") as steps:
            async for _ in steps:
                if guard.stopped:
                    return guard.reason
            return steps.result.output

    return asyncio.run(run())


WAYS = [by_langchain, by_langchain_async, by_langgraph, by_openai_agents, by_pydantic_ai]


# Stops by Python client: LangGraph, LangChain; OpenAI Agents SDK; Pydantic AI
class Frameworks(unittest.TestCase):
    def test_a_looping_agent_ends_at_the_third_denial(self):
        for way in WAYS:
            with self.subTest(way.__name__):
                guard, reader = new_guard(), Reader()
                answer = way(guard, reader, LOOP)
                guard.close()
                self.assertEqual((reader.runs, guard.stats().denied, guard.stopped), (3, 3, True))
                self.assertIn("read_file", answer)

    def test_a_healthy_agent_is_untouched(self):
        for way in WAYS:
            with self.subTest(way.__name__):
                guard, reader = new_guard(), Reader()
                self.assertEqual(way(guard, reader, HEALTHY), "Done.")
                guard.close()
                self.assertEqual((reader.runs, guard.stats().denied, guard.stats().faults), (4, 0, 0))

    def test_a_tool_that_asks_its_user_is_one_call(self):
        def ask(topic: str) -> str:
            """Asks the user six questions; the graph runs it again with each answer."""
            return ", ".join(interrupt(f"{topic}?") for _ in range(6))

        for run_async in (False, True):
            with self.subTest(run_async=run_async):
                guard, reader = new_guard(), Reader()
                calls = [
                    {"id": "c1", "name": "read_file", "args": {"path": "part-1.yaml"}},
                    {"id": "c2", "name": "ask", "args": {"topic": "Size"}},
                ]
                agent = create_agent(
                    Scripted(messages=iter([AIMessage("", tool_calls=calls), AIMessage("Done.")])),
                    [tool_of(reader), StructuredTool.from_function(ask)],
                    middleware=[LoopwatchMiddleware(guard)],
                    checkpointer=MemorySaver(),
                )
                config = {"configurable": {"thread_id": "1"}}

                def invoke(given, agent=agent, config=config, run_async=run_async):
                    return asyncio.run(agent.ainvoke(given, config)) if run_async else agent.invoke(given, config)

                state = invoke({"messages": [("user", "Ask me")]})
                while "__interrupt__" in state:
                    state = invoke(Command(resume="L"))
                guard.close()
                self.assertEqual(state["messages"][-2].text, "L, L, L, L, L, L")
                stats = guard.stats()
                self.assertEqual((stats.calls, stats.denied, stats.faults, stats.dropped), (2, 0, 0, 0))


if __name__ == "__main__":
    unittest.main()
