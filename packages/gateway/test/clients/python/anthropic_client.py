"""`anthropic`: Messages, streamed by the client's stream helper."""

from anthropic import Anthropic

from cases import API_KEY, MAX_TURNS, PROMPT, TOOL_DESCRIPTION, TOOL_NAME, TOOL_SCHEMA, Case, GetWeather, run_cases

TOOL = {"name": TOOL_NAME, "description": TOOL_DESCRIPTION, "input_schema": TOOL_SCHEMA}


def run(case: Case, get_weather: GetWeather) -> str:
    client = Anthropic(api_key=API_KEY, base_url=case.url, max_retries=0, default_headers=case.headers)
    messages = [{"role": "user", "content": PROMPT}]
    for _ in range(MAX_TURNS):
        body = {"model": case.model, "max_tokens": 1000, "messages": messages, "tools": [TOOL]}
        if case.stream:
            with client.messages.stream(**body) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**body)
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in message.content if block.type == "text")
        messages.append({"role": "assistant", "content": [block.to_dict() for block in message.content]})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": get_weather(**call.input)} for call in calls
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("the agent went on for too long")


run_cases(run)
