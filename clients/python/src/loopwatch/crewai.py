"""Hooks for the tools and models of CrewAI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from crewai.hooks import (
    register_after_tool_call_hook,
    register_before_llm_call_hook,
    register_before_tool_call_hook,
    unregister_after_tool_call_hook,
    unregister_before_llm_call_hook,
    unregister_before_tool_call_hook,
)

from ._guard import Call, Guard


@contextmanager
def guarded(guard: Guard) -> Iterator[Guard]:
    """
    Guards all crews that run inside it: ``with guarded(guard): crew.kickoff()``. CrewAI's hooks are global, so run crews
    with different guards one after the other. A crew that should end fails at its next model request; the block then ends
    without an error, and ``guard.reason`` says why.
    """
    # CrewAI passes the same dict of arguments before and after a call.
    running: dict[int, Call] = {}

    def before_tool(context: Any) -> bool | None:
        call = guard.enter(context.tool_name, context.tool_input)
        running[id(context.tool_input)] = call
        return None if call.denial is None else False

    def after_tool(context: Any) -> str | None:
        call = running.pop(id(context.tool_input), None)
        if call is not None:
            call.finish(context.tool_result)
        return None if call is None else call.denial

    def before_model(_context: Any) -> bool | None:
        return False if guard.stopped else None

    register_before_tool_call_hook(before_tool)
    register_after_tool_call_hook(after_tool)
    register_before_llm_call_hook(before_model)
    try:
        yield guard
    except Exception:
        if not guard.stopped:
            raise
    finally:
        unregister_before_tool_call_hook(before_tool)
        unregister_after_tool_call_hook(after_tool)
        unregister_before_llm_call_hook(before_model)
