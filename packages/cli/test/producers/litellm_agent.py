"""Runs an agent on LiteLLM, whose generic API callback posts what it logs."""

import asyncio
import sys

import litellm
from litellm.integrations.generic_api.generic_api_callback import GenericAPILogger

url, session, calls, model_url = sys.argv[1:]
tool = {
    "type": "function",
    "function": {
        "name": "read_file",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
}


async def main() -> None:
    logger = GenericAPILogger(endpoint=f"{url}/api/v1/events?format=litellm")
    litellm.callbacks = [logger]
    messages = [{"role": "user", "content": "Read it"}]
    for _ in range(int(calls) + 1):
        response = await litellm.acompletion(
            model="openai/gpt-5-mini",
            api_base=model_url,
            api_key="none",
            messages=messages,
            tools=[tool],
            litellm_session_id=session,
        )
        message = response.choices[0].message
        messages.append(message.model_dump())
        for call in message.tool_calls or []:
            result = {"role": "tool", "tool_call_id": call.id, "content": "an empty file"}
            messages.append(result)
    # Callbacks run on a queue of their own.
    while len(logger.log_queue) <= int(calls):
        await asyncio.sleep(0.01)
    await logger.flush_queue()


asyncio.run(asyncio.wait_for(main(), timeout=60))
