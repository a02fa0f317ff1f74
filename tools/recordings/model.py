"""A model's API that answers by script, and a collector that records what it is sent."""

from __future__ import annotations

import gzip
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


def thought(paths: list[str], asked: int) -> str:
    """What the model thinks before it answers; never twice the same."""
    return f"Request {asked}: {' and '.join(paths) or 'the answer'} comes next."


def code(paths: list[str]) -> str:
    """What the model answers an agent that runs code, such as that of smolagents."""
    lines = [f"print(read_file({path!r}))" for path in paths] or ["final_answer('Done.')"]
    return "\n".join(["Thought: Let me look.", "<code>", *lines, "</code>"])


def started(item: dict[str, Any]) -> dict[str, Any]:
    """An item of a response whose content is still to come."""
    empty = {"reasoning": {"summary": []}, "message": {"content": []}, "function_call": {"arguments": ""}}
    return {**item, **empty[item["type"]]}


def body_of(request: BaseHTTPRequestHandler) -> bytes:
    """The body of a request, which may come in chunks."""
    if "content-length" in request.headers:
        return request.rfile.read(int(request.headers["content-length"]))
    body = b""
    while size := int(request.rfile.readline(), 16):
        body += request.rfile.read(size)
        request.rfile.readline()
    request.rfile.readline()
    return body


class Model(BaseHTTPRequestHandler):
    """Chat Completions, Responses and Anthropic's Messages, whole or streamed, and Gemini's answers."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def do_POST(self) -> None:
        raw = body_of(self).decode()
        body = json.loads(raw)
        Model.asked += 1
        if self.path.endswith("/responses"):
            self._responses(raw, body)
        elif ":generateContent" in self.path:
            self._gemini(raw, body)
        elif "/messages" in self.path:
            self._messages(raw, body)
        else:
            self._chat(raw, body)

    def _chat(self, raw: str, body: dict[str, Any]) -> None:
        is_code = "<code>" in raw
        results = raw.count("'name': 'python_interpreter'") if is_code else sum(message["role"] == "tool" for message in body["messages"])
        paths = answer(raw, results)
        calls = [
            {
                "index": index,
                "id": f"call_{Model.asked}_{index}",
                "type": "function",
                "function": {"name": "read_file", "arguments": json.dumps({"path": path})},
            }
            for index, path in enumerate(paths if not is_code else [])
        ]
        said = code(paths) if is_code else "Let me look." if calls else "Done."
        # The API itself has no field for reasoning; this is that of most of its copies.
        text = {"content": said, "reasoning_content": thought(paths, Model.asked)}
        message: dict[str, Any] = {"role": "assistant", **text}
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
        deltas: list[dict[str, Any]] = [{"role": "assistant", **text}, *({"tool_calls": [call]} for call in calls)]
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
        summary = {"type": "summary_text", "text": thought(paths, Model.asked)}
        output: list[dict[str, Any]] = [
            {"id": f"rs_{Model.asked}", "type": "reasoning", "summary": [summary]},
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
            at = {"output_index": index, "item_id": item["id"]}
            events.append({"type": "response.output_item.added", "output_index": index, "item": started(item)})
            if item["type"] == "reasoning":
                events.append({"type": "response.reasoning_summary_part.added", **at, "summary_index": 0, "part": {**summary, "text": ""}})
                events.append({"type": "response.reasoning_summary_text.delta", **at, "summary_index": 0, "delta": summary["text"]})
                events.append({"type": "response.reasoning_summary_part.done", **at, "summary_index": 0, "part": summary})
            if item["type"] == "message":
                events.append({"type": "response.output_text.delta", **at, "content_index": 0, "delta": text["text"], "logprobs": []})
            if item["type"] == "function_call":
                events.append({"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]})
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        events.append({"type": "response.completed", "response": response})
        self._stream([{**event, "sequence_number": number} for number, event in enumerate(events)])

    def _messages(self, raw: str, body: dict[str, Any]) -> None:
        blocks = [block for message in body["messages"] for block in message["content"] if isinstance(block, dict)]
        paths = answer(raw, sum(block.get("type") == "tool_result" for block in blocks))
        [name, *_] = [tool["name"] for tool in body.get("tools", []) if tool["name"].endswith("read_file")] or ["read_file"]
        content: list[dict[str, Any]] = [
            {"type": "thinking", "thinking": thought(paths, Model.asked), "signature": "none"},
            {"type": "text", "text": "Let me look." if paths else "Done."},
        ]
        for index, path in enumerate(paths):
            content.append({"type": "tool_use", "id": f"toolu_{Model.asked}_{index}", "name": name, "input": {"path": path}})
        reason = {"stop_reason": "tool_use" if paths else "end_turn", "stop_sequence": None}
        usage = {"input_tokens": 20, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        head = {"id": f"msg_{Model.asked}", "type": "message", "role": "assistant", "model": body["model"]}
        if not body.get("stream"):
            self._send({**head, "content": content, "usage": usage, **reason})
            return
        empty = {"thinking": {"thinking": "", "signature": ""}, "text": {"text": ""}, "tool_use": {"input": {}}}
        deltas = {
            "thinking": lambda block: {"type": "thinking_delta", "thinking": block["thinking"]},
            "text": lambda block: {"type": "text_delta", "text": block["text"]},
            "tool_use": lambda block: {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
        }
        none = {"stop_reason": None, "stop_sequence": None}
        events: list[Any] = [{"type": "message_start", "message": {**head, "content": [], "usage": usage, **none}}]
        for index, block in enumerate(content):
            kind = block["type"]
            events.append({"type": "content_block_start", "index": index, "content_block": {**block, **empty[kind]}})
            events.append({"type": "content_block_delta", "index": index, "delta": deltas[kind](block)})
            events.append({"type": "content_block_stop", "index": index})
        events.append({"type": "message_delta", "delta": reason, "usage": usage})
        events.append({"type": "message_stop"})
        self._stream(events, named=True)

    def _gemini(self, raw: str, body: dict[str, Any]) -> None:
        paths = answer(raw, sum("functionResponse" in part for content in body["contents"] for part in content["parts"]))
        parts: list[dict[str, Any]] = [
            {"text": thought(paths, Model.asked), "thought": True},
            {"text": "Let me look." if paths else "Done."},
            *({"functionCall": {"name": "read_file", "args": {"path": path}}} for path in paths),
        ]
        usage = {"promptTokenCount": 20, "candidatesTokenCount": 5, "totalTokenCount": 25}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        self._send({"responseId": f"resp_{Model.asked}", "candidates": [candidate], "usageMetadata": usage})

    def _send(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("request-id", f"req_{Model.asked}")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: list[Any], named: bool = False) -> None:
        lines = [
            (f"event: {event['type']}\n" if named else "")
            + f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n"
            for event in events
        ]
        data = "".join(lines).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", f"req_{Model.asked}")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


class Collector(BaseHTTPRequestHandler):
    """Records export requests: their paths and bodies."""

    requests: list[tuple[str, bytes]] = []

    def do_POST(self) -> None:
        body = body_of(self)
        if self.headers["content-encoding"] == "gzip":
            body = gzip.decompress(body)
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
