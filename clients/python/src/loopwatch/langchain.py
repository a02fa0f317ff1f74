"""A middleware for LangChain's ``create_agent``."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, HumanMessage

from ._guard import Guard
from .langgraph import awrap_tool_call, wrap_tool_call


class LoopwatchMiddleware(AgentMiddleware):
    """Denies tool calls that continue a loop, and ends the run of an agent that does not leave it."""

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        self._wrap = wrap_tool_call(guard)
        self._awrap = awrap_tool_call(guard)

    def before_agent(self, state: Any, runtime: Any) -> None:
        prompt = next((m for m in reversed(state["messages"]) if isinstance(m, HumanMessage)), None)
        self.guard.prompt(None if prompt is None else prompt.text)

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        if not self.guard.stopped:
            return None
        return {"jump_to": "end", "messages": [AIMessage(f"Stopped by Loopwatch: {self.guard.reason}")]}

    def after_model(self, state: Any, runtime: Any) -> None:
        answer = state["messages"][-1]
        if not isinstance(answer, AIMessage):
            return
        if answer.text:
            self.guard.text(answer.text)
        usage = answer.usage_metadata
        if usage is not None:
            self.guard.usage(usage["input_tokens"], usage["output_tokens"])

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return self._wrap(request, handler)

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await self._awrap(request, handler)
