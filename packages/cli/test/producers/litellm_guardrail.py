"""An agent behind LiteLLM's Generic Guardrail API, called as LiteLLM's proxy calls it; prints the calls that ran and the error."""

import asyncio
import json
import sys
import uuid
from types import SimpleNamespace

import litellm
from litellm.exceptions import GuardrailRaisedException
from litellm.llms.openai.chat.guardrail_translation.handler import OpenAIChatCompletionsHandler
from litellm.proxy.guardrails.guardrail_hooks.generic_guardrail_api.generic_guardrail_api import GenericGuardrailAPI

url, session, *paths = sys.argv[1:]
guardrail = GenericGuardrailAPI(api_base=f"{url}/api/v1/hooks/litellm", guardrail_name="loopwatch")
handler = OpenAIChatCompletionsHandler()


def response_to(number: int, path: str) -> litellm.ModelResponse:
    function = {"name": "read_file", "arguments": json.dumps({"path": path})}
    call = {"id": f"call-{number}", "type": "function", "function": function}
    message = {"role": "assistant", "content": "Let me look.", "tool_calls": [call]}
    return litellm.ModelResponse(choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}])


async def main() -> None:
    messages = [{"role": "user", "content": f"Read for {uuid.uuid4()}"}]
    headers = {"x-litellm-session-id": session} if session else {}
    ran = 0
    for number, path in enumerate(paths):
        logging = SimpleNamespace(litellm_call_id=str(uuid.uuid4()), litellm_trace_id=str(uuid.uuid4()))
        data = {"model": "m", "messages": list(messages), "proxy_server_request": {"headers": headers}}
        await handler.process_input_messages(data, guardrail, logging)
        response = response_to(number, path)
        try:
            await handler.process_output_response(response, guardrail, logging, None, data)
        except GuardrailRaisedException as error:
            print(json.dumps({"ran": ran, "error": error.message}))
            return
        ran += 1
        messages.append(response.choices[0].message.model_dump())
        text = "not found" if path == "absent" else f"text of {path}: {len(path) * 37}"
        messages.append({"role": "tool", "tool_call_id": f"call-{number}", "content": text})
    print(json.dumps({"ran": ran, "error": None}))


asyncio.run(main())
