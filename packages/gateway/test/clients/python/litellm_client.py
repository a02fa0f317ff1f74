"""`litellm`: its function for each API, streamed and not."""

import json

import litellm

from cases import API_KEY, MAX_TURNS, PROMPT, TOOL_DESCRIPTION, TOOL_NAME, TOOL_SCHEMA, Case, GetWeather, run_cases

# Otherwise it prints advice beside the outcomes.
litellm.suppress_debug_info = True

TOOL = {"name": TOOL_NAME, "description": TOOL_DESCRIPTION, "parameters": TOOL_SCHEMA}


def run_chat(case: Case, get_weather: GetWeather) -> str:
    """Also Messages, which LiteLLM translates from and to Chat Completions."""
    provider, url = ("anthropic", case.url) if case.api == "messages" else ("openai", f"{case.url}/v1")
    messages = [{"role": "user", "content": PROMPT}]
    for _ in range(MAX_TURNS):
        completion = litellm.completion(
            model=f"{provider}/{case.model}",
            api_base=url,
            api_key=API_KEY,
            extra_headers=case.headers,
            max_retries=0,
            max_tokens=1000,
            messages=messages,
            tools=[{"type": "function", "function": TOOL}],
            stream=case.stream,
        )
        if case.stream:
            completion = litellm.stream_chunk_builder(list(completion), messages=messages)
        message = completion.choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump())
        for call in message.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("the agent went on for too long")


def run_responses(case: Case, get_weather: GetWeather) -> str:
    given = [{"role": "user", "content": PROMPT}]
    for _ in range(MAX_TURNS):
        response = litellm.responses(
            model=f"openai/{case.model}",
            api_base=f"{case.url}/v1",
            api_key=API_KEY,
            extra_headers=case.headers,
            max_retries=0,
            input=given,
            tools=[{"type": "function", **TOOL}],
            stream=case.stream,
        )
        if case.stream:
            response = next(event.response for event in response if event.type == "response.completed")
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        for call in calls:
            result = get_weather(**json.loads(call.arguments))
            about = {"call_id": call.call_id}
            given.append({"type": "function_call", "name": call.name, "arguments": call.arguments, **about})
            given.append({"type": "function_call_output", "output": result, **about})
    raise RuntimeError("the agent went on for too long")


def run(case: Case, get_weather: GetWeather) -> str:
    return (run_responses if case.api == "responses" else run_chat)(case, get_weather)


run_cases(run)
