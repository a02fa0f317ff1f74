"""The guardrail and the callback, called as LiteLLM's proxy and SDK call them."""

import asyncio
import json
import re
import unittest
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import litellm
from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices, Usage
from looping import DENIED, URL, get

from loopwatch.litellm import LoopwatchGuardrail

litellm.suppress_debug_info = True
README = Path(__file__).parents[1].joinpath("README.md").read_text()


def response_to(number, path, stream=False):
    function = {"name": "read_file", "arguments": json.dumps({"path": path})}
    call = {"index": 0, "id": f"call-{number}", "type": "function", "function": function}
    message = {"role": "assistant", "content": "Let me look.", "tool_calls": [call]}
    if not stream:
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        return litellm.ModelResponse(choices=[choice], usage=Usage(20, 5, 25))
    deltas = [{"role": "assistant", "content": "Let me look."}, {"tool_calls": [call]}, {}]
    reasons = [None, None, "tool_calls"]
    return [
        ModelResponseStream(choices=[StreamingChoices(index=0, delta=Delta(**delta), finish_reason=reason)])
        for delta, reason in zip(deltas, reasons)
    ]


class Agent:
    """Reads files as a model says, through the guardrail."""

    def __init__(self, paths, guard, stream=False):
        self.messages = [{"role": "user", "content": f"Read {uuid.uuid4()}"}]
        self.paths, self.guard, self.stream, self.runs, self.answer = paths, guard, stream, 0, None

    async def run(self):
        for number, path in enumerate(self.paths):
            data = {"model": "m", "messages": self.messages}
            calls, text = await (self.streamed if self.stream else self.whole)(data, number, path)
            if not calls:
                self.answer = text
                return
            self.runs += 1
            self.messages = [
                *self.messages,
                {"role": "assistant", "content": text, "tool_calls": [{"id": calls[0].id}]},
                {"role": "tool", "tool_call_id": calls[0].id, "content": self.read(path)},
            ]

    def read(self, path):
        return f"Error: {path} not found" if path == "config.yaml" else f"text of {path}: {len(path) * 37}"

    async def whole(self, data, number, path):
        response = await self.guard.async_post_call_success_hook(data, None, response_to(number, path))
        message = response.choices[0].message
        return message.tool_calls, message.content

    async def streamed(self, data, number, path):
        async def chunks():
            for chunk in response_to(number, path, stream=True):
                yield chunk

        passed = [chunk async for chunk in self.guard.async_post_call_streaming_iterator_hook(None, chunks(), data)]
        message = litellm.stream_chunk_builder(passed).choices[0].message
        return message.tool_calls, message.content


# Stops by Python client: LiteLLM
class Guardrail(unittest.TestCase):
    def run_agent(self, paths, stream):
        guard = LoopwatchGuardrail(URL, timeout=20)
        agent = Agent(paths, guard, stream)
        asyncio.run(agent.run())
        guard.close()
        return agent

    def test_it_answers_in_place_of_a_call_that_continues_a_loop(self):
        for stream in (False, True):
            with self.subTest(stream=stream):
                agent = self.run_agent(["config.yaml"] * 8, stream)
                self.assertEqual(agent.runs, 3)
                self.assertIn(DENIED, agent.answer)

    def test_it_leaves_a_healthy_agent_alone(self):
        for stream in (False, True):
            with self.subTest(stream=stream):
                agent = self.run_agent([f"part-{n}.yaml" for n in range(6)], stream)
                self.assertEqual((agent.runs, agent.answer), (6, None))


    def test_it_passes_what_it_does_not_understand(self):
        class Unreadable:
            def __getattr__(self, name):
                raise RuntimeError(name)

        guard = LoopwatchGuardrail(URL, timeout=20)
        response = response_to(1, "a")
        response.choices[0].message.tool_calls[0].function = None
        chunks = response_to(2, "a", stream=True)

        async def stream():
            for chunk in chunks:
                yield chunk

        async def run():
            for messages in ([Unreadable()], [response.choices[0].message], None):
                data = {"model": "m", "messages": messages}
                self.assertIs(await guard.async_post_call_success_hook(data, None, response), response)
                passed = guard.async_post_call_streaming_iterator_hook(None, stream(), data)
                self.assertEqual([chunk async for chunk in passed], chunks)
                await guard.async_log_success_event({"messages": messages}, response, None, None)

        asyncio.run(run())
        guard.close()
        self.assertEqual(guard._root.stats().faults, 3)


class Readme(unittest.TestCase):
    def test_its_file_is_a_guardrail_that_the_environment_configures(self):
        [code] = re.findall(r"## LiteLLM\n.*?```python\n(.+?)```", README, re.S)
        names = {}
        exec(code, names)
        # As LiteLLM's proxy makes it.
        guard = names["guardrail"](guardrail_name="loopwatch", event_hook="post_call", default_on=True)
        self.assertEqual(guard._root._link._port, urlsplit(URL).port)
        guard.close()


class Callback(unittest.TestCase):
    def test_it_reports_each_call_once_with_tokens(self):
        session = f"py-{uuid.uuid4()}"
        guard = LoopwatchGuardrail(URL, timeout=20)
        litellm.callbacks = [guard]
        self.addCleanup(setattr, litellm, "callbacks", [])
        messages = [{"role": "user", "content": "Read"}]

        async def run():
            for number in range(4):
                response = await litellm.acompletion(
                    model="openai/m",
                    messages=messages,
                    api_key="none",
                    metadata={"session_id": session},
                    mock_response=response_to(number, "config.yaml"),
                )
                messages.append(response.choices[0].message.model_dump())
                messages.append({"role": "tool", "tool_call_id": f"call-{number}", "content": "not found"})
            # Callbacks run on a queue of their own.
            while not self.is_complete(session):
                await asyncio.sleep(0.1)

        asyncio.run(asyncio.wait_for(run(), 60))
        guard.close()
        self.assertEqual(guard._root.stats().dropped, 0)

    def is_complete(self, session):
        found = [one for one in get("/sessions?limit=200")["items"] if one["sessionId"] == session]
        facts = [(one["toolCalls"], one["incidents"]["total"], one["tokens"]) for one in found]
        return facts == [(4, 1, {"input": 80, "cached": 0, "output": 20})]


if __name__ == "__main__":
    unittest.main()
