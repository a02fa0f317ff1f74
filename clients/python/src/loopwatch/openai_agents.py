"""Guards the function tools of the OpenAI Agents SDK."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from agents import FunctionTool
from agents.agent import ToolsToFinalOutputResult

from ._guard import Guard


def guarded_tools(guard: Guard, tools: Sequence[Any]) -> list[Any]:
    """The tools for an ``Agent``; tools that are not functions are returned unchanged."""
    return [_guarded(guard, tool) if isinstance(tool, FunctionTool) else tool for tool in tools]


def tool_use_behavior(guard: Guard) -> Callable[[Any, Any], ToolsToFinalOutputResult]:
    """For ``tool_use_behavior`` of an ``Agent``: ends the run with the reason."""

    def behave(_context: Any, _results: Any) -> ToolsToFinalOutputResult:
        return ToolsToFinalOutputResult(is_final_output=guard.stopped, final_output=guard.reason)

    return behave


def _guarded(guard: Guard, tool: FunctionTool) -> FunctionTool:
    async def invoke(context: Any, arguments: str) -> Any:
        call = await guard.enter_async(tool.name, arguments)
        if call.denial is not None:
            return call.denial
        with call:
            result = await tool.on_invoke_tool(context, arguments)
        call.finish(result)
        return result

    return dataclasses.replace(tool, on_invoke_tool=invoke)
