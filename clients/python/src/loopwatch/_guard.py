"""The guard of one session of one agent."""

from __future__ import annotations

import asyncio
import atexit
import functools
import inspect
import itertools
import os
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, cast

from ._link import ALLOWED, Link
from ._plain import plain, text_of
from ._types import Decision, Event

Mode = Literal["steer", "stop", "watch"]
F = TypeVar("F", bound=Callable[..., Any])

CLOSE_SECONDS = 1.0


@dataclass
class Stats:
    """Counters of a guard and its sub-agents."""

    calls: int = 0
    """Calls of guarded tools."""
    denied: int = 0
    """Calls that were denied."""
    faults: int = 0
    """Errors of the guard itself, and answers that did not come in time; each time, the tool ran as if unguarded."""
    reported: int = 0
    """Events that the server accepted."""
    dropped: int = 0
    """Events that the server rejected, or that could not be delivered."""


class Guard:
    """
    Asks a Loopwatch server about each tool call before it runs, and reports what happens in the background.

    A call that continues a loop is denied: the model reads the reason instead of a result. If it is denied again and
    again, or a budget is spent, or a person stops the session, the run should end: see :attr:`stopped`. The guard never
    breaks the agent: if the server is unavailable or slow, calls run as if there were no guard.

    :param url: the server, for example ``http://localhost:4600``
    :param session: id of the session; a random one by default
    :param agent: name of the agent, shown by the server
    :param token: an ingest token or API token, if the server requires one
    :param mode: ``steer`` denies calls and ends the run of an agent that does not leave its loop; ``stop`` ends it at the
        first denial; ``watch`` only reports
    :param timeout: longest time a call waits for its decision, in seconds
    :raises ValueError: the URL or the mode is not valid; no other method raises errors of its own
    """

    def __init__(
        self,
        url: str = "http://localhost:4600",
        *,
        session: str | None = None,
        agent: str | None = None,
        token: str | None = None,
        mode: Mode = "steer",
        timeout: float = 1.0,
    ) -> None:
        if mode not in ("steer", "stop", "watch"):
            raise ValueError(f"mode: expected steer, stop or watch, not {mode!r}")
        self.session = session or str(uuid.uuid4())
        self.mode: Mode = mode
        self._agent = agent
        self._parent: str | None = None
        self._timeout = timeout
        self._link = Link(url, token, timeout)
        self._stats = Stats()
        self._final: Decision | None = None
        self._run = uuid.uuid4().hex[:12]
        self._numbers = itertools.count(1)
        atexit.register(self.close)

    @property
    def stopped(self) -> bool:
        """Whether the run should end."""
        return self._final is not None

    @property
    def reason(self) -> str | None:
        """Why the run should end, for people."""
        return None if self._final is None else self._final["reason"]

    def tool(self, run: F | None = None, *, name: str | None = None) -> F:
        """
        Guards a function, coroutine function or generator function, also as a decorator. A denied call returns the guidance
        for the model as a string, in the way in which the function returns its result.
        """
        if run is None:
            return cast(F, functools.partial(self.tool, name=name))
        tool_name = name or _name_of(run)
        signature = _signature(run)

        if _is_kind(run, inspect.iscoroutinefunction):

            @functools.wraps(run)
            async def guarded_async(*args: Any, **kwargs: Any) -> Any:
                call = await self.enter_async(tool_name, _arguments(signature, args, kwargs))
                return call.denial if call.denial is not None else await _awaited(call, run(*args, **kwargs))

            return cast(F, guarded_async)

        if _is_kind(run, inspect.isasyncgenfunction):

            @functools.wraps(run)
            async def guarded_stream(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
                call = await self.enter_async(tool_name, _arguments(signature, args, kwargs))
                if call.denial is not None:
                    yield call.denial
                    return
                values = run(*args, **kwargs)
                with _Seen(call) as seen:
                    step = values.asend(None)
                    while True:
                        try:
                            seen.last = await step
                        except StopAsyncIteration:
                            return
                        try:
                            sent = yield seen.last
                        except BaseException as error:
                            step = values.athrow(error)
                        else:
                            step = values.asend(sent)

            return cast(F, guarded_stream)

        if _is_kind(run, inspect.isgeneratorfunction):

            @functools.wraps(run)
            def guarded_values(*args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
                call = self.enter(tool_name, _arguments(signature, args, kwargs))
                if call.denial is not None:
                    yield call.denial
                    return call.denial
                # Not `yield from`, which closes a generator that may go on after GeneratorExit.
                values = run(*args, **kwargs)
                with _Seen(call) as seen:
                    step = functools.partial(values.send, None)
                    while True:
                        try:
                            seen.last = step()
                        except StopIteration as end:
                            seen.last = seen.last if end.value is None else end.value
                            return end.value
                        try:
                            sent = yield seen.last
                        except BaseException as error:
                            step = functools.partial(values.throw, error)
                        else:
                            step = functools.partial(values.send, sent)

            return cast(F, guarded_values)

        is_async = False

        @functools.wraps(run)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            nonlocal is_async
            call = self.enter(tool_name, _arguments(signature, args, kwargs))
            if call.denial is not None:
                return _denied(call.denial) if is_async else call.denial
            with call:
                result = run(*args, **kwargs)
            if inspect.iscoroutine(result):
                is_async = True
                return _awaited(call, result)
            call.finish(result)
            return result

        return cast(F, guarded)

    def enter(self, name: str, arguments: Any, call_id: str | None = None) -> Call:
        """Begins a call: if ``denial`` is set, do not run it, and return that to the model; else finish the call."""
        try:
            if self.mode == "watch":
                return self._begin(name, arguments, ALLOWED, call_id)
            asked = self._link.ask({"sessionId": self.session, "name": name, "args": plain(arguments)})
            try:
                decision = asked.result(self._timeout)
            except FutureTimeout:
                decision = self._late()
            return self._begin(name, arguments, decision, call_id)
        except Exception:
            self._stats.faults += 1
            return Call(self, name, None, None)

    async def enter_async(self, name: str, arguments: Any, call_id: str | None = None) -> Call:
        """Like :meth:`enter`, without blocking the event loop."""
        try:
            if self.mode == "watch":
                return self._begin(name, arguments, ALLOWED, call_id)
            asked = self._link.ask({"sessionId": self.session, "name": name, "args": plain(arguments)})
            try:
                decision = await asyncio.wait_for(asyncio.wrap_future(asked), self._timeout)
            except (asyncio.TimeoutError, TimeoutError):
                decision = self._late()
            return self._begin(name, arguments, decision, call_id)
        except Exception:
            self._stats.faults += 1
            return Call(self, name, None, None)

    def prompt(self, text: str | None = None) -> None:
        """Starts a user request: denials of the one before no longer end the run."""
        self._final = None
        self._record({"type": "prompt_started", "origin": "user", **({} if text is None else {"text": text})})

    def text(self, text: str) -> None:
        """Reports text of the model."""
        self._record({"type": "content", "text": text})

    def usage(self, input_tokens: int, output_tokens: int) -> None:
        """Reports the tokens of a model request."""
        usage = {"inputTokens": input_tokens, "outputTokens": output_tokens}
        self._record({"type": "turn_finished", "usage": usage})

    def child(self, name: str) -> Guard:
        """The guard of a sub-agent, with the session id ``SESSION/NAME``."""
        child = self._of_session(f"{self.session}/{name}")
        child._parent = self.session
        return child

    def stats(self) -> Stats:
        """The counters so far."""
        return replace(self._stats, reported=self._link.reported, dropped=self._link.dropped)

    def close(self, timeout: float = CLOSE_SECONDS) -> None:
        """Sends the events that are left; a program that ends calls it by itself."""
        atexit.unregister(self.close)
        self._link.close(timeout)

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _of_session(self, session: str) -> Guard:
        """A guard of another session on the same connection."""
        other = object.__new__(Guard)
        other.__dict__.update(self.__dict__)
        other.session, other._final, other._run = session, None, uuid.uuid4().hex[:12]
        return other

    def _late(self) -> Decision:
        self._stats.faults += 1
        self._link.give_up()
        return ALLOWED

    def _begin(self, name: str, arguments: Any, decision: Decision, call_id: str | None) -> Call:
        self._stats.calls += 1
        call_id = call_id or self._next_id()
        self._report_call(call_id, name, arguments)
        action = decision["action"]
        if action not in ("deny", "stop"):
            return Call(self, name, call_id, None)
        self._stats.denied += 1
        denial = f"Loopwatch denied this call: {decision['guidance'] or decision['reason']}"
        result = {"type": "tool_result", "callId": call_id, "result": denial, "isError": True, "denied": True}
        self._record({"id": f"result:{call_id}", **result})
        if self.mode == "stop" or action == "stop":
            self._final = decision
        return Call(self, name, call_id, denial)

    def _report_call(self, call_id: str, name: str, arguments: Any) -> None:
        body = {"type": "tool_call_request", "callId": call_id, "name": name, "args": plain(arguments)}
        self._record({"id": f"call:{call_id}", **body})

    def _finish(self, call_id: str, result: Any, is_error: bool) -> None:
        event = {"id": f"result:{call_id}", "type": "tool_result", "callId": call_id, "result": plain(result)}
        self._record({**event, **({"isError": True} if is_error else {})})

    def _next_id(self) -> str:
        """Another one in each thread, and in each process that was forked from this one."""
        return f"{self._run}-{os.getpid()}-{next(self._numbers)}"

    def _record(self, body: Mapping[str, Any]) -> None:
        try:
            event = {
                "v": 1,
                "id": self._next_id(),
                "sessionId": self.session,
                "time": int(time.time() * 1000),
                **({} if self._agent is None else {"agent": self._agent}),
                **({} if self._parent is None else {"parentSessionId": self._parent}),
                **body,
            }
            self._link.report(cast(Event, event))
        except Exception:
            self._stats.faults += 1


@dataclass(frozen=True)
class Call:
    """A call that has begun. As a context manager, it fails with the error that leaves its block."""

    guard: Guard
    name: str
    call_id: str | None
    denial: str | None
    """What to return to the model instead of running the call; None if it may run."""

    def finish(self, result: Any) -> None:
        """The call returned this."""
        if self.call_id is not None and self.denial is None:
            self.guard._finish(self.call_id, result, is_error=False)

    def fail(self, error: BaseException) -> None:
        """The call raised this."""
        if self.call_id is not None and self.denial is None:
            self.guard._finish(self.call_id, text_of(error) or type(error).__name__, is_error=True)

    def __enter__(self) -> Call:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        if error is not None:
            self.fail(error)


@dataclass
class _Seen:
    """What a generator yields: the last value is the result of its call, also if the caller takes no more."""

    call: Call
    last: Any = None

    def __enter__(self) -> _Seen:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        if error is None or isinstance(error, GeneratorExit):
            self.call.finish(self.last)
        else:
            self.call.fail(error)


def _name_of(run: Callable[..., Any]) -> str:
    """The name of a function, also of a partial one; of an object, that of its class."""
    while isinstance(run, functools.partial):
        run = run.func
    return str(getattr(run, "__name__", type(run).__name__))


def _is_kind(run: Callable[..., Any], is_kind: Callable[[Any], bool]) -> bool:
    """Whether a function, or the call of an object, is of this kind."""
    return is_kind(run) or (not isinstance(run, type) and is_kind(getattr(run, "__call__", None)))


async def _denied(denial: str) -> str:
    return denial


async def _awaited(call: Call, result: Coroutine[Any, Any, Any]) -> Any:
    with call:
        value = await result
    call.finish(value)
    return value


def _signature(run: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(run)
    except (TypeError, ValueError):
        return None


def _arguments(signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments by name, so that a call is the same however it is written."""
    if signature is not None:
        try:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return {key: value for key, value in bound.arguments.items() if key not in ("self", "cls")}
        except TypeError:
            pass
    return {**{str(index): value for index, value in enumerate(args)}, **kwargs}
