"""Guards the tools of a LangGraph graph: ``ToolNode(tools, **guarded(guard))``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp

from ._guard import Call, Guard

MAX_CALLS = 128
"""Calls of one step."""


class _Step:
    """
    The calls of a step, by their ids. Once a person has answered the interrupt of a tool, the graph runs the calls of the step
    again: they are the same calls, whose results are still to come.
    """

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._is_interrupted = False

    def again(self, request: Any) -> Call | None:
        """The call, if the graph runs it again."""
        return self._calls.get(request.tool_call["id"]) if self._is_interrupted else None

    def begun(self, request: Any, call: Call) -> Call:
        """Notes a call that was not made before; with the first one after an unanswered interrupt, a step begins."""
        if self._is_interrupted or len(self._calls) >= MAX_CALLS:
            self._calls.clear()
            self._is_interrupted = False
        self._calls[request.tool_call["id"]] = call
        return call

    @contextmanager
    def running(self, call: Call) -> Iterator[None]:
        """The call fails with the error that leaves the block, unless a tool has asked a person by it."""
        try:
            yield
        except GraphBubbleUp:
            self._is_interrupted = True
            raise
        except BaseException as error:
            call.fail(error)
            raise

    def finish(self, request: Any, call: Call, result: Any) -> Any:
        """Reports what the tool returned, once: a message, or a command that updates the graph."""
        if not isinstance(result, ToolMessage):
            call.finish(result)
        elif result.status == "error":
            call.fail(Exception(str(result.content)))
        else:
            call.finish(result.content)
        self._calls[request.tool_call["id"]] = replace(call, call_id=None)
        return result


def wrap_tool_call(guard: Guard) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """For ``wrap_tool_call`` of a ``ToolNode`` or of a middleware."""
    step = _Step()

    def run(request: Any, handler: Callable[[Any], Any]) -> Any:
        call = step.again(request)
        if call is None:
            call = step.begun(request, guard.enter(request.tool_call["name"], request.tool_call["args"]))
        if call.denial is not None:
            return _denied(request, call.denial)
        with step.running(call):
            result = handler(request)
        return step.finish(request, call, result)

    return run


def awrap_tool_call(guard: Guard) -> Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]:
    """For ``awrap_tool_call`` of a ``ToolNode`` or of a middleware."""
    step = _Step()

    async def run(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        call = step.again(request)
        if call is None:
            begun = await guard.enter_async(request.tool_call["name"], request.tool_call["args"])
            call = step.begun(request, begun)
        if call.denial is not None:
            return _denied(request, call.denial)
        with step.running(call):
            result = await handler(request)
        return step.finish(request, call, result)

    return run


def guarded(guard: Guard) -> dict[str, Any]:
    """Both wrappers, as arguments of a ``ToolNode``."""
    return {"wrap_tool_call": wrap_tool_call(guard), "awrap_tool_call": awrap_tool_call(guard)}


def _denied(request: Any, text: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(content=text, tool_call_id=call["id"], name=call["name"], status="error")
