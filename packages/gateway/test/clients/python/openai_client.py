"""`openai`: Chat Completions and Responses, streamed by the client's stream helpers."""

import json

from openai import OpenAI

from cases import API_KEY, MAX_TURNS, PROMPT, TOOL_DESCRIPTION, TOOL_NAME, TOOL_SCHEMA, Case, GetWeather, run_cases

TOOL = {"name": TOOL_NAME, "description": TOOL_DESCRIPTION, "parameters": TOOL_SCHEMA, "strict": True}


def run_chat(client: OpenAI, case: Case, get_weather: GetWeather) -> str:
    messages = [{"role": "user", "content": PROMPT}]
    tools = [{"type": "function", "function": TOOL}]
    for _ in range(MAX_TURNS):
        body = {"model": case.model, "messages": messages, "tools": tools}
        if case.stream:
            with client.chat.completions.stream(**body) as stream:
                completion = stream.get_final_completion()
        else:
            completion = client.chat.completions.create(**body)
        message = completion.choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.to_dict())
        for call in message.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("the agent went on for too long")


def run_responses(client: OpenAI, case: Case, get_weather: GetWeather) -> str:
    given = [{"role": "user", "content": PROMPT}]
    more = {}
    for _ in range(MAX_TURNS):
        body = {"model": case.model, "input": given, "tools": [{"type": "function", **TOOL}], **more}
        if case.stream:
            with client.responses.stream(**body) as stream:
                response = stream.get_final_response()
        else:
            response = client.responses.create(**body)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        more = {"previous_response_id": response.id}
        given = [
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": get_weather(**json.loads(call.arguments)),
            }
            for call in calls
        ]
    raise RuntimeError("the agent went on for too long")


def run(case: Case, get_weather: GetWeather) -> str:
    client = OpenAI(api_key=API_KEY, base_url=f"{case.url}/v1", max_retries=0, default_headers=case.headers)
    return (run_chat if case.api == "chat" else run_responses)(client, case, get_weather)


run_cases(run)
