import asyncio
import socket
import threading
import time
import unittest

from looping import DENIED, Counter, new_guard

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
        self.assertEqual([ping() for _ in range(6)], ["pong"] * 6)
        guard.close(0)
        server.shutdown()
        server.server_close()
        self.assertEqual(guard.stats().denied, 0)


if __name__ == "__main__":
    unittest.main()
