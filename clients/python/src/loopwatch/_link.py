"""The connection to a Loopwatch server: one thread that sends events in order and asks for decisions."""

from __future__ import annotations

import http.client
import itertools
import json
import logging
import os
import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import Any, cast
from urllib.parse import urlsplit

from ._types import Decision, Event

_log = logging.getLogger("loopwatch")

ALLOWED: Decision = {"action": "allow", "reason": None, "guidance": None, "incidentId": None}

MAX_EVENTS = 10_000
"""Events that are kept while the server is unavailable; the oldest are dropped first."""
BATCH = 500
"""Events of one request."""
BATCH_CHARACTERS = 1_000_000
"""The length of one request with several events: the server refuses what is too long, and takes its time for what is long."""
FIRST_PAUSE = 10.0
LONGEST_PAUSE = 60.0
"""Seconds without a request after a failure; doubled at each further one."""


class ServerUnavailable(Exception):
    """The server cannot be reached, or answers with an error of its own."""


class Link:
    """Sends what it is given in the background. Never raises; a call that cannot be decided is allowed."""

    def __init__(self, url: str, token: str | None, timeout: float) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or parts.hostname is None or port == -1:
            raise ValueError(f"url: expected http://HOST:PORT or https://HOST:PORT, not {url!r}")
        secure = parts.scheme == "https"
        self._connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._host, self._port = parts.hostname, port
        self._path = parts.path.rstrip("/") + "/api/v1"
        self._url = url
        self._headers = {"content-type": "application/json", "accept": "application/json"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"
        self._timeout = timeout
        self.reported = 0
        self.dropped = 0
        self._begin()

    def _begin(self) -> None:
        """Also in a process that was forked from one with a connection: its thread is not there, and its events are not ours."""
        self._process = os.getpid()
        self._connection: http.client.HTTPConnection | None = None
        self._events: deque[Event] = deque()
        self._asked: deque[tuple[dict[str, Any], Future[Decision]]] = deque()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False
        self._busy = False
        self._away_until = 0.0
        self._pause = 0.0

    def report(self, event: Event) -> None:
        """Queues an event."""
        self._note_fork()
        with self._wake:
            self._events.append(event)
            if len(self._events) > MAX_EVENTS:
                self._events.popleft()
                self.dropped += 1
            self._start()
            self._wake.notify_all()

    def ask(self, call: dict[str, Any]) -> Future[Decision]:
        """Asks for a decision, once all events before it are sent. While the server is unavailable, the answer is there at once."""
        self._note_fork()
        answer: Future[Decision] = Future()
        # A task that no longer waits cannot cancel it either: it is always answered.
        answer.set_running_or_notify_cancel()
        with self._wake:
            if self._closing or time.monotonic() < self._away_until:
                answer.set_result(ALLOWED)
            else:
                self._asked.append((call, answer))
                self._start()
                self._wake.notify_all()
        return answer

    def give_up(self) -> None:
        """An answer did not come in time: calls are not held up by this server for a while."""
        with self._wake:
            self._set_away(f"no decision within {self._timeout:g} s")

    def close(self, timeout: float) -> None:
        """Sends the events that are left, for at most this many seconds."""
        self._note_fork()
        deadline = time.monotonic() + timeout
        with self._wake:
            self._away_until = 0.0
            self._closing = True
            self._wake.notify_all()
            while (self._events or self._busy) and self._thread is not None and time.monotonic() < deadline:
                self._wake.wait(deadline - time.monotonic())
            self.dropped += len(self._events)
            self._events.clear()
            self._wake.notify_all()

    def _note_fork(self) -> None:
        if self._process != os.getpid():
            self._disconnect()
            self._begin()

    def _start(self) -> None:
        if self._thread is None and not self._closing:
            self._thread = threading.Thread(target=self._run, name="loopwatch", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._busy = False
                self._wake.notify_all()
                while True:
                    rest = self._away_until - time.monotonic()
                    if rest > 0:
                        self._release()
                    elif self._asked or self._events:
                        break
                    if self._closing and not self._events:
                        self._disconnect()
                        return
                    self._wake.wait(rest if rest > 0 else None)
                self._busy = True
                batch = [self._events.popleft() for _ in range(min(BATCH, len(self._events)))]
                # A decision depends on all events before it.
                question = self._asked.popleft() if self._asked and not self._events else None
            try:
                self._send(batch)
                if question is not None:
                    question[1].set_result(self._decide(question[0]))
                self._pause = 0.0
            except Exception as error:
                self._on_failure(batch, question, error)

    def _on_failure(
        self, batch: list[Event], question: tuple[dict[str, Any], Future[Decision]] | None, error: Exception
    ) -> None:
        with self._wake:
            self._disconnect()
            self._events.extendleft(reversed(batch))
            if question is not None:
                question[1].set_result(ALLOWED)
            if self._closing:
                self.dropped += len(self._events)
                self._events.clear()
            self._set_away(error)
            self._release()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _set_away(self, reason: object) -> None:
        if self._pause == 0.0:
            # Once for each time that the server is away: nothing else tells that calls run without a decision.
            _log.warning("Calls run unchecked until %s decides again: %s", self._url, reason)
        self._pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, 2 * self._pause))
        self._away_until = time.monotonic() + self._pause

    def _release(self) -> None:
        while self._asked:
            self._asked.popleft()[1].set_result(ALLOWED)

    def _send(self, batch: list[Event]) -> None:
        """Takes from the batch what is sent."""
        texts = [json.dumps(event, default=str) for event in batch]
        while batch:
            lengths = itertools.accumulate(map(len, texts))
            count = max(1, sum(length <= BATCH_CHARACTERS for length in lengths))
            status, body = self._post("/events", f"[{','.join(texts[:count])}]")
            accepted = body.get("accepted") if isinstance(body, dict) else None
            taken = accepted if isinstance(accepted, int) else count if status < 300 else 0
            self.reported += taken
            self.dropped += count - taken
            del batch[:count], texts[:count]

    def _decide(self, call: dict[str, Any]) -> Decision:
        status, body = self._post("/decide", json.dumps(call, default=str))
        is_decision = status == 200 and isinstance(body, dict) and "action" in body
        return cast(Decision, body) if is_decision else ALLOWED

    def _post(self, path: str, text: str) -> tuple[int, Any]:
        for attempt in (1, 2):
            fresh = self._connection is None
            connection = self._connection or self._connect(self._host, self._port, timeout=self._timeout)
            self._connection = connection
            try:
                connection.request("POST", self._path + path, text.encode(), self._headers)
                response = connection.getresponse()
                answer = response.read()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                # The server may have closed an idle connection.
                self._disconnect()
                if fresh or attempt == 2:
                    raise
        if response.status >= 500 or response.status in (401, 403, 404, 429):
            raise ServerUnavailable(f"{response.status} {answer[:500].decode(errors='replace')}")
        return response.status, json.loads(answer)
