import asyncio
import functools
import json
import os
import socket
import threading
import time
import unittest

from looping import DENIED, Counter, get, new_guard

from loopwatch import Guard


class TheGuard(unittest.TestCase):
    def test_denies_the_fourth_call_of_a_loop_and_ends_the_run_at_the_third_denial(self):
        guard, counter = new_guard(), Counter()
        read = guard.tool(counter.read_file)
        guard.prompt("Fix the configuration")
        seen = []
        for _ in range(6):
            seen.append((read("config.yaml").startswith(DENIED), guard.stopped))
        self.assertEqual(seen, [(False, False)] * 3 + [(True, False)] * 2 + [(True, True)])
        self.assertEqual(counter.runs, 3)
        self.assertIn("read_file", guard.reason)
        guard.prompt("Try again")
        self.assertFalse(guard.stopped)
        guard.close()
        self.assertEqual((guard.stats().calls, guard.stats().denied, guard.stats().faults), (6, 3, 0))

    def test_knows_a_call_however_its_arguments_are_written(self):
        guard, counter = new_guard(), Counter()
        read = guard.tool(counter.read_file, name="read")
        self.assertFalse(any(read(*a, **k).startswith(DENIED) for a, k in [(("a",), {}), ((), {"path": "a"}), (("a",), {})]))
        self.assertTrue(read(path="a").startswith(DENIED))
        guard.close()

    def test_reports_every_event_of_the_session_and_its_sub_agents(self):
        guard = new_guard()
        guard.prompt("Sum")
        add = guard.tool(lambda a, b: a + b, name="add")
        self.assertEqual([add(1, n) for n in range(3)], [1, 2, 3])
        child = guard.child("researcher")
        child.tool(lambda: "found", name="search")()
        guard.usage(10, 5)
        guard.close()
        self.assertEqual(guard.stats().reported, 1 + 3 * 2 + 2 + 1)
        self.assertEqual(guard.stats().dropped, 0)

    def test_sends_long_results_in_requests_that_the_server_takes(self):
        guard = new_guard(mode="watch")
        read = guard.tool(lambda n: str(n) + "x" * 6_000_000, name="read")
        for n in range(10):
            read(n)
        guard.close(60)
        self.assertEqual((guard.stats().reported, guard.stats().dropped), (20, 0))

    def test_stop_ends_the_run_at_the_first_denial_and_watch_denies_nothing(self):
        for mode, runs, stopped in (("stop", 3, True), ("watch", 8, False)):
            guard, counter = new_guard(mode=mode), Counter()
            read = guard.tool(counter.read_file)
            for _ in range(8):
                if not guard.stopped:
                    read("a")
            self.assertEqual((counter.runs, guard.stopped), (runs, stopped))
            guard.close()

    def test_passes_results_and_errors_through_of_coroutines_too(self):
        guard = new_guard()

        @guard.tool
        async def fetch(url: str) -> dict:
            await asyncio.sleep(0)
            if url == "bad":
                raise KeyError("bad")
            return {"url": url}

        async def run():
            self.assertEqual(await fetch("a"), {"url": "a"})
            with self.assertRaises(KeyError):
                await fetch("bad")

        asyncio.run(run())
        guard.close()
        self.assertEqual(guard.stats().faults, 0)

    def test_leaves_an_agent_that_makes_progress_alone(self):
        guard = new_guard()
        read = guard.tool(lambda path: f"text of {path}", name="read")
        self.assertFalse(any(read(f"{n % 6}.py").startswith(DENIED) for n in range(12)))
        guard.close()

    def test_names_what_is_wrong_with_its_settings(self):
        for url in ("ftp://here", "localhost:4600", "http://", "http://a:b"):
            with self.assertRaisesRegex(ValueError, "url: expected http://HOST:PORT"):
                Guard(url)
        with self.assertRaisesRegex(ValueError, "mode"):
            Guard(mode="block")


class Silent:
    """Raises where its text is asked for."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class SilentError(Silent, Exception):
    pass


class Thing:
    pass


def circular() -> dict:
    value = {"name": "circular"}
    value["self"] = value
    return value


class WhateverAToolTakesAndReturns(unittest.TestCase):
    def test_passes_through_what_json_cannot_represent(self):
        values = [circular(), {(1, 2): 3}, {b"a": 1}, {1, 2}, float("nan"), 1j, b"\xff", "\ud800", 10**5000, Silent(), Thing()]
        for value in values:
            guard = new_guard()
            self.assertIs(guard.tool(lambda given: given, name="echo")(value), value)
            with self.assertRaises(SilentError):
                guard.tool(lambda: (_ for _ in ()).throw(SilentError()), name="fail")()
            guard.close()
            self.assertEqual((guard.stats().calls, guard.stats().faults, guard.stats().dropped), (2, 0, 0))

    def test_denies_a_loop_with_arguments_that_json_cannot_represent(self):
        same = Thing()
        for make in (circular, lambda: {(1, 2): 3}, lambda: float("nan"), lambda: same):
            guard, counter = new_guard(), Counter()
            read = guard.tool(lambda _, run=counter.read_file: run("a"), name="read")
            for _ in range(6):
                read(make())
            self.assertEqual((counter.runs, guard.stopped), (3, True))
            guard.close()

    def test_tells_objects_without_a_text_of_their_own_apart(self):
        guard = new_guard()
        save = guard.tool(lambda _: "saved", name="save")
        poll = guard.tool(Thing, name="poll")
        self.assertEqual({save(Thing()) for _ in range(8)}, {"saved"})
        self.assertEqual({type(poll()) for _ in range(8)}, {Thing})
        guard.close()

    def test_a_denial_comes_in_the_way_in_which_the_tool_returns(self):
        async def last(values):
            return [value async for value in values][-1]

        class Reader:
            async def __call__(self, path):
                return "Error: not found"

        def lines(path):
            yield "reading"
            yield "Error: not found"

        async def stream(path):
            for line in lines(path):
                yield line

        async def ask(tool, read):
            return [await read(tool("a")) for _ in range(6)]

        async def listed(values):
            return list(values)[-1]

        async def awaited(value):
            return await value

        for run, read in [(lines, listed), (stream, last), (Reader(), awaited), (lambda path: Reader()(path), awaited)]:
            guard = new_guard()
            got = asyncio.run(ask(guard.tool(run, name="read"), read))
            self.assertEqual([text.startswith(DENIED) for text in got], [False] * 3 + [True] * 3)
            self.assertTrue(guard.stopped)
            guard.close()

    def test_names_a_tool_after_its_function_or_class(self):
        class Reader:
            def __call__(self, path):
                return "Error: not found"

        for run, name in [(functools.partial(Counter().read_file, "a"), "read_file"), (functools.partial(Reader(), "a"), "Reader")]:
            guard = new_guard(mode="stop")
            read = guard.tool(run)
            for _ in range(4):
                read()
            self.assertIn(f"{name} ", guard.reason)
            guard.close()

    def test_a_generator_that_is_left_early_is_closed(self):
        closed = []

        def lines():
            try:
                yield "a"
                yield "b"
            finally:
                closed.append(True)

        guard = new_guard()
        values = guard.tool(lines)()
        self.assertEqual(next(values), "a")
        values.close()
        self.assertEqual(closed, [True])
        guard.close()

    def test_a_generator_takes_what_is_sent_and_thrown_as_if_it_were_not_guarded(self):
        def values(log):
            got = "start"
            while got != "end":
                try:
                    got = yield got
                except KeyError as error:
                    got = f"caught {error}"
                except GeneratorExit:
                    log.append("closed")
                    if got == "stay":
                        got = yield "still here"
                    raise
                finally:
                    log.append(got)
            return "returned"

        async def stream(log):
            inner = values(log)
            step = functools.partial(next, inner)
            while True:
                try:
                    value = step()
                except StopIteration:
                    return
                try:
                    step = functools.partial(inner.send, (yield value))
                except BaseException as error:
                    step = functools.partial(inner.throw, error)

        async def outcomes(tool, steps, names):
            log, got = [], []
            running = tool(log)
            for name, *sent in steps:
                try:
                    value = getattr(running, names[name])(*sent)
                    got.append((await value) if names is ASYNC else value)
                except BaseException as error:
                    got.append((type(error).__name__, str(error)))
            return got, log

        SYNC = {name: name for name in ("__next__", "send", "throw", "close")}
        ASYNC = {"__next__": "__anext__", "send": "asend", "throw": "athrow", "close": "aclose"}
        for steps in (
            [("__next__",), ("send", "a"), ("send", "b"), ("close",), ("__next__",)],
            [("__next__",), ("send", None), ("throw", KeyError("k")), ("throw", ValueError("v")), ("__next__",)],
            [("__next__",), ("send", "end"), ("__next__",)],
            [("__next__",), ("send", "stay"), ("close",), ("close",)],
            [("__next__",), ("send", "stay"), ("throw", GeneratorExit()), ("send", "x"), ("__next__",)],
            [("send", "too early"), ("__next__",)],
            [("close",), ("__next__",)],
            [("throw", KeyError("k")), ("__next__",)],
        ):
            for run, names in ((values, SYNC), (stream, ASYNC)):
                guard = new_guard(mode="watch")
                expected = asyncio.run(outcomes(run, steps, names))
                self.assertEqual(asyncio.run(outcomes(guard.tool(run), steps, names)), expected, (names, steps))
                guard.close()

    @unittest.skipUnless(hasattr(os, "fork"), "no fork on Windows")
    def test_goes_on_in_a_process_that_is_forked(self):
        guard, counter = new_guard(), Counter()
        read = guard.tool(counter.read_file)
        read("parent")
        child = os.fork()
        if child == 0:
            denials = sum(read("child").startswith(DENIED) for _ in range(4))
            guard.close(20)
            os._exit(denials)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)
        guard.close()
        events = get(f"/sessions/{guard.session}/events?limit=100")["items"]
        self.assertEqual([event["duplicate"] for event in events], [False] * 2 * 5)


class WithoutAServer(unittest.TestCase):
    def call_times(self, url: str, timeout: float, calls: int) -> list:
        guard = Guard(url, timeout=timeout)
        ping = guard.tool(lambda: "pong", name="ping")
        times = []
        for _ in range(calls):
            start = time.perf_counter()
            self.assertEqual(ping(), "pong")
            times.append(time.perf_counter() - start)
        guard.close(0)
        return times

    def test_calls_run_as_if_there_were_no_guard(self):
        times = self.call_times("http://127.0.0.1:9", 1.0, 200)
        self.assertLess(sorted(times)[len(times) // 2], 0.001)

    def test_a_server_that_hangs_delays_one_call(self):
        with socket.create_server(("127.0.0.1", 0)) as hanging:
            times = self.call_times(f"http://127.0.0.1:{hanging.getsockname()[1]}", 0.2, 50)
        self.assertEqual(sum(seconds > 0.15 for seconds in times), 1)

    def test_a_call_that_no_longer_waits_for_its_answer_does_not_end_the_connection(self):
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        answers, sent = threading.Semaphore(0), threading.Event()

        class Slow(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                is_decision = self.path.endswith("/decide")
                if is_decision:
                    answers.acquire(timeout=10)
                elif b"later" in body:
                    sent.set()
                answer = b'{"action": "allow"}' if is_decision else json.dumps({"accepted": 1}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        guard = Guard(f"http://127.0.0.1:{server.server_address[1]}", timeout=20)

        async def give_up() -> None:
            with self.assertRaises((TimeoutError, asyncio.TimeoutError)):
                await asyncio.wait_for(guard.enter_async("ping", {}), 0.05)

        asyncio.run(give_up())
        answers.release()
        guard.text("later")
        self.assertTrue(sent.wait(10))
        guard.close(0)
        server.shutdown()
        server.server_close()

    def test_what_was_not_sent_is_sent_once_the_server_is_back(self):
        from http.server import BaseHTTPRequestHandler, HTTPServer

        got = threading.Event()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                answer = b'{"accepted": 2, "rejected": []}'
                self.send_response(202)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
                got.set()

            def log_message(self, *_):
                pass

        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        guard = Guard(f"http://127.0.0.1:{port}", timeout=1)
        guard.tool(lambda: "pong", name="ping")()
        server = HTTPServer(("127.0.0.1", port), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.assertTrue(got.wait(30))
        guard.close()
        server.shutdown()
        server.server_close()
        self.assertEqual((guard.stats().reported, guard.stats().dropped), (2, 0))


class WithAToken(unittest.TestCase):
    def test_a_refused_token_lets_calls_run(self):
        from http.server import BaseHTTPRequestHandler, HTTPServer

        class Refusing(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(401)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = HTTPServer(("127.0.0.1", 0), Refusing)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        guard = Guard(f"http://127.0.0.1:{server.server_address[1]}", token="wrong")
        ping = guard.tool(lambda: "pong", name="ping")
        with self.assertLogs("loopwatch") as logs:
            self.assertEqual([ping() for _ in range(6)], ["pong"] * 6)
        guard.close(0)
        server.shutdown()
        server.server_close()
        self.assertEqual(guard.stats().denied, 0)
        self.assertEqual(len(logs.output), 1)
        self.assertRegex(logs.output[0], r"^WARNING:loopwatch:Calls run unchecked until http://\S+ decides again: 401 $")


if __name__ == "__main__":
    unittest.main()
