"""A model's API that answers by script, and a collector that records what it is sent."""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATHS = {
    # The same call with the same result.
    "loop": [["notes.md"]] * 5,
    # The same call with the same error.
    "failing": [["missing.md"]] * 5,
    # Different calls, the last two at once.
    "healthy": [["a.md"], ["b.md"], ["c.md"], ["d.md", "e.md"]],
}
"""What the model reads in each of its turns, by scenario."""


def answer(body: str, results: int) -> list[str]:
    """The files that the model reads next; none at the end."""
    scenario = re.search(r"Scenario (\w+)", body)
    turns = PATHS[scenario.group(1)] if scenario else []
    done = 0
    for turn in turns:
        if done >= results:
            return turn
        done += len(turn)
    return []


class Model(BaseHTTPRequestHandler):
    """Chat Completions and Responses, whole or streamed."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"])).decode()
        body = json.loads(raw)
        Model.asked += 1
        if self.path.endswith("/responses"):
            self._responses(raw, body)
        else:
            self._chat(raw, body)

    def _chat(self, raw: str, body: dict[str, Any]) -> None:
        results = sum(message["role"] == "tool" for message in body["messages"])
        paths = answer(raw, results)
        calls = [
            {
                "index": index,
                "id": f"call_{Model.asked}_{index}",
                "type": "function",
                "function": {"name": "read_file", "arguments": json.dumps({"path": path})},
            }
            for index, path in enumerate(paths)
        ]
        message: dict[str, Any] = {"role": "assistant", "content": "Let me look." if calls else "Done."}
        if calls:
            message["tool_calls"] = calls
        reason = "tool_calls" if calls else "stop"
        head = {"id": f"chatcmpl-{Model.asked}", "created": int(time.time()), "model": body["model"]}
        usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self._send({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        chunk = {**head, "object": "chat.completion.chunk"}
        # One call a chunk, as the real one does.
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": message["content"]}, *({"tool_calls": [call]} for call in calls)]
        self._stream(
            [
                *({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas),
                {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
                {**chunk, "choices": [], "usage": usage},
                "[DONE]",
            ]
        )

    def _responses(self, raw: str, body: dict[str, Any]) -> None:
        given = body["input"] if isinstance(body["input"], list) else []
        results = sum(item.get("type") == "function_call_output" for item in given)
        paths = answer(raw, results)
        text = {"type": "output_text", "text": "Let me look." if paths else "Done.", "annotations": [], "logprobs": []}
        status = {"status": "completed"}
        output: list[dict[str, Any]] = [
            {"id": f"msg_{Model.asked}", "type": "message", "role": "assistant", "content": [text], **status}
        ]
        for index, path in enumerate(paths):
            own = f"{Model.asked}_{index}"
            call = {"id": f"fc_{own}", "call_id": f"call_{own}", "type": "function_call", "name": "read_file"}
            output.append({**call, "arguments": json.dumps({"path": path}), **status})
        response = {
            "id": f"resp_{Model.asked}",
            "object": "response",
            "created_at": int(time.time()),
            "model": body["model"],
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": body.get("tools", []),
            "usage": {
                "input_tokens": 20,
                "output_tokens": 5,
                "total_tokens": 25,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
            **status,
        }
        if not body.get("stream"):
            self._send(response)
            return
        events: list[Any] = [{"type": "response.created", "response": {**response, "output": []}}]
        for index, item in enumerate(output):
            events.append({"type": "response.output_item.added", "output_index": index, "item": item})
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        events.append({"type": "response.completed", "response": response})
        self._stream([{**event, "sequence_number": number} for number, event in enumerate(events)])

    def _send(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: list[Any]) -> None:
        lines = [f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in events]
        data = "".join(lines).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


class Collector(BaseHTTPRequestHandler):
    """Records export requests: their paths and bodies."""

    requests: list[tuple[str, bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        Collector.requests.append((self.path, body))
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def serve(handler: type[BaseHTTPRequestHandler]) -> str:
    """Starts a server at a free port until the end of this process; returns its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
