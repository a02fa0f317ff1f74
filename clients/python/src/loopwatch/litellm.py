"""A guardrail for LiteLLM's proxy, and a callback for its SDK."""

from __future__ import annotations

import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
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
            with self._passing_faults():
                session = self._session_of(data)
                for choice in response.choices:
                    denial = await session.decide(_calls_of(choice.message))
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
            if held or any(getattr(choice.delta, "tool_calls", None) for choice in choices):
                held.append(chunk)
            else:
                yield chunk
        with self._passing_faults():
            await self._judge_held(request_data, held)
        for chunk in held:
            yield chunk

    async def _judge_held(self, data: dict[str, Any], held: list[Any]) -> None:
        whole = litellm.stream_chunk_builder(held) if held else None
        if whole is None:
            return
        denial = await self._session_of(data).decide(_calls_of(whole.choices[0].message))
        if denial is None:
            return
        for chunk in held:
            for choice in chunk.choices:
                choice.delta.tool_calls, choice.delta.content = None, denial
                choice.finish_reason = choice.finish_reason and "stop"
                denial = None

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        if not isinstance(response_obj, litellm.ModelResponse):
            return
        with self._passing_faults():
            params = kwargs.get("litellm_params") or {}
            session = self._session_of({**kwargs, "metadata": params.get("metadata"), **_session_in(params)})
            message = response_obj.choices[0].message
            usage = getattr(response_obj, "usage", None)
            session.log(message, usage)

    @contextmanager
    def _passing_faults(self) -> Iterator[None]:
        """A fault here must not become the answer to a request: the response passes."""
        try:
            yield
        except Exception:
            self._root._stats.faults += 1

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

    def read(self, messages: list[Any]) -> None:
        """Reports the results among the messages of a request, and what the user asks in the last one."""
        for message in messages:
            call_id = _field(message, "tool_call_id")
            if _field(message, "role") == "tool" and call_id and self._is_new(f"result:{call_id}"):
                Call(self._guard, "", call_id, None).finish(_field(message, "content"))
        if messages and _field(messages[-1], "role") == "user":
            text = json.dumps(_field(messages[-1], "content"), default=str)
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
        for call_id, name, arguments in _calls_of(message):
            if self._is_new(f"call:{call_id}"):
                self._guard._report_call(call_id, name, arguments)
        if usage is not None:
            self._guard.usage(usage.prompt_tokens or 0, usage.completion_tokens or 0)

    def _is_new(self, key: str) -> bool:
        if key in self._known:
            return False
        self._known[key] = None
        if len(self._known) > MAX_RESULTS:
            self._known.popitem(last=False)
        return True


def _field(message: Any, name: str) -> Any:
    """A message is a dict, or an object of a client that its answers came from."""
    return message.get(name) if isinstance(message, dict) else getattr(message, name, None)


def _calls_of(message: Any) -> list[tuple[str, str, Any]]:
    functions = [(call.id, getattr(call, "function", None)) for call in message.tool_calls or []]
    return [(call_id, each.name or "", each.arguments) for call_id, each in functions if each is not None]


def _session_in(data: dict[str, Any]) -> dict[str, Any]:
    held = data.get("litellm_session_id")
    metadata = data.get("metadata") or data.get("litellm_metadata") or {}
    return {"litellm_session_id": held or metadata.get("session_id")}


def _beginning(model: Any, messages: list[Any]) -> str:
    """An id of the conversation that begins with these messages, up to the first of the user."""
    roles = [_field(message, "role") for message in messages]
    first = messages[: roles.index("user") + 1] if "user" in roles else messages[:1]
    text = json.dumps([model, [_field(message, "content") for message in first]], default=str)
    return f"litellm-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
