"""Guards a toolset of pydantic-ai."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai.toolsets import WrapperToolset

from ._guard import Guard


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """``Agent(model, toolsets=[GuardedToolset(FunctionToolset([search]), guard)])``"""

    guard: Guard

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        call = await self.guard.enter_async(name, tool_args)
        if call.denial is not None:
            return call.denial
        with call:
            result = await super().call_tool(name, tool_args, ctx, tool)
        call.finish(result)
        return result
