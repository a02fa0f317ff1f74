"""Guards the tools of a LangGraph graph: ``ToolNode(tools, **guarded(guard))``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import ToolMessage

from ._guard import Call, Guard


def wrap_tool_call(guard: Guard) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """For ``wrap_tool_call`` of a ``ToolNode`` or of a middleware."""

    def run(request: Any, handler: Callable[[Any], Any]) -> Any:
        call = guard.enter(request.tool_call["name"], request.tool_call["args"])
        if call.denial is not None:
            return _denied(request, call.denial)
        with call:
            result = handler(request)
        return _finished(call, result)

    return run


def awrap_tool_call(guard: Guard) -> Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]:
    """For ``awrap_tool_call`` of a ``ToolNode`` or of a middleware."""

    async def run(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        call = await guard.enter_async(request.tool_call["name"], request.tool_call["args"])
        if call.denial is not None:
            return _denied(request, call.denial)
        with call:
            result = await handler(request)
        return _finished(call, result)

    return run


def guarded(guard: Guard) -> dict[str, Any]:
    """Both wrappers, as arguments of a ``ToolNode``."""
    return {"wrap_tool_call": wrap_tool_call(guard), "awrap_tool_call": awrap_tool_call(guard)}


def _denied(request: Any, text: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(content=text, tool_call_id=call["id"], name=call["name"], status="error")


def _finished(call: Call, result: Any) -> Any:
    """Reports what the tool returned: a message, or a command that updates the graph."""
    if not isinstance(result, ToolMessage):
        call.finish(result)
    elif result.status == "error":
        call.fail(Exception(str(result.content)))
    else:
        call.finish(result.content)
    return result
