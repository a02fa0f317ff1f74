"""A guardrail for LiteLLM's proxy, and a callback for its SDK."""

from __future__ import annotations

import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator
from typing import Any

import litellm
from litellm.integrations.custom_guardrail import CustomGuardrail

from ._guard import Call, Guard

MAX_SESSIONS = 1000
"""Sessions that are remembered; what a forgotten one has reported is reported again, and counts once."""
MAX_RESULTS = 10_000


class LoopwatchGuardrail(CustomGuardrail):
    """
    Answers a response whose tool calls continue a loop with the reason instead, and reports calls, results and tokens. As
    a callback (``litellm.callbacks = [LoopwatchGuardrail()]``), it only reports.

    A session is a request's ``litellm_session_id`` or ``session_id`` in its metadata; without one, requests that begin
    with the same messages are one session.

    :param url: the server; by default ``LOOPWATCH_URL``, else ``http://localhost:4600``
    :param token: its ingest token, if it requires a login; by default ``LOOPWATCH_INGEST_TOKEN``
    :param timeout: longest time that a call waits for its decision, in seconds
    :param options: options of LiteLLM's guardrails, such as ``guardrail_name``
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, timeout: float = 1.0, **options: Any
    ) -> None:
        super().__init__(**options)
        self._root = Guard(
            url or os.environ.get("LOOPWATCH_URL") or "http://localhost:4600",
            token=token or os.environ.get("LOOPWATCH_INGEST_TOKEN"),
            agent="litellm",
            timeout=timeout,
        )
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def close(self) -> None:
        """Sends the events that are left; a program that ends calls it by itself."""
        self._root.close()

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        if isinstance(response, litellm.ModelResponse):
            session = self._session_of(data)
            for choice in response.choices:
                calls = choice.message.tool_calls or []
                denial = await session.decide([(call.id, call.function.name, call.function.arguments) for call in calls])
                if denial is not None:
                    choice.message.content, choice.message.tool_calls = denial, None
                    choice.finish_reason = "stop"
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        # Tool calls are held back until they are complete; text is passed on as it comes.
        held: list[Any] = []
        async for chunk in response:
            choices = getattr(chunk, "choices", None) or []
            if held or any(choice.delta.tool_calls for choice in choices):
                held.append(chunk)
            else:
                yield chunk
        whole = litellm.stream_chunk_builder(held) if held else None
        if whole is not None:
            calls = whole.choices[0].message.tool_calls or []
            asked = [(call.id, call.function.name, call.function.arguments) for call in calls]
            denial = await self._session_of(request_data).decide(asked)
            if denial is not None:
                for chunk in held:
                    for choice in chunk.choices:
                        choice.delta.tool_calls, choice.delta.content = None, denial
                        choice.finish_reason = choice.finish_reason and "stop"
                        denial = None
        for chunk in held:
            yield chunk

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        if not isinstance(response_obj, litellm.ModelResponse):
            return
        params = kwargs.get("litellm_params") or {}
        session = self._session_of({**kwargs, "metadata": params.get("metadata"), **_session_in(params)})
        message = response_obj.choices[0].message
        usage = getattr(response_obj, "usage", None)
        session.log(message, usage)

    def _session_of(self, data: dict[str, Any]) -> _Session:
        messages = data.get("messages") or []
        name = str(_session_in(data).get("litellm_session_id") or _beginning(data.get("model"), messages))
        session = self._sessions.get(name) or _Session(self._root, name)
        self._sessions[name] = session
        self._sessions.move_to_end(name)
        if len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        session.read(messages)
        return session


class _Session:
    """The guard of one session, and what it has reported."""

    def __init__(self, root: Guard, name: str) -> None:
        self._guard = root._of_session(name)
        self._known: OrderedDict[str, None] = OrderedDict()

    def read(self, messages: list[dict[str, Any]]) -> None:
        """Reports the results among the messages of a request, and what the user asks in the last one."""
        for message in messages:
            call_id = message.get("tool_call_id")
            if message.get("role") == "tool" and call_id and self._is_new(f"result:{call_id}"):
                Call(self._guard, "", call_id, None).finish(message.get("content"))
        if messages and messages[-1].get("role") == "user":
            text = json.dumps(messages[-1].get("content"))
            if self._is_new(f"prompt:{len(messages)}:{hashlib.sha256(text.encode()).hexdigest()}"):
                self._guard.prompt(text)

    async def decide(self, calls: list[tuple[str, str, Any]]) -> str | None:
        """What the model should read instead of making these calls; None if they may be made."""
        denial = None
        for call_id, name, arguments in calls:
            call = await self._guard.enter_async(name, arguments, call_id)
            self._is_new(f"call:{call_id}")
            denial = denial or call.denial
        return denial

    def log(self, message: Any, usage: Any) -> None:
        """Reports a response; calls that were decided before count once."""
        if message.content:
            self._guard.text(message.content)
        for call in message.tool_calls or []:
            if self._is_new(f"call:{call.id}"):
                self._guard._report_call(call.id, call.function.name, call.function.arguments)
        if usage is not None:
            self._guard.usage(usage.prompt_tokens or 0, usage.completion_tokens or 0)

    def _is_new(self, key: str) -> bool:
        if key in self._known:
            return False
        self._known[key] = None
        if len(self._known) > MAX_RESULTS:
            self._known.popitem(last=False)
        return True


def _session_in(data: dict[str, Any]) -> dict[str, Any]:
    held = data.get("litellm_session_id")
    metadata = data.get("metadata") or data.get("litellm_metadata") or {}
    return {"litellm_session_id": held or metadata.get("session_id")}


def _beginning(model: Any, messages: list[dict[str, Any]]) -> str:
    """An id of the conversation that begins with these messages, up to the first of the user."""
    roles = [message.get("role") for message in messages]
    first = messages[: roles.index("user") + 1] if "user" in roles else messages[:1]
    text = json.dumps([model, [message.get("content") for message in first]], default=str)
    return f"litellm-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
