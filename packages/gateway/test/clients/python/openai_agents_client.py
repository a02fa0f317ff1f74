"""`openai-agents`: its runner, over both APIs."""

import asyncio

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from cases import API_KEY, MAX_TURNS, PROMPT, TOOL_DESCRIPTION, TOOL_NAME, Case, GetWeather, run_cases

set_tracing_disabled(True)


async def run_agent(case: Case, get_weather: GetWeather) -> str:
    client = AsyncOpenAI(api_key=API_KEY, base_url=f"{case.url}/v1", max_retries=0, default_headers=case.headers)
    model = OpenAIChatCompletionsModel if case.api == "chat" else OpenAIResponsesModel

    @function_tool(name_override=TOOL_NAME, description_override=TOOL_DESCRIPTION, failure_error_function=None)
    def weather(city: str) -> str:
        return get_weather(city)

    agent = Agent(name="Weather", model=model(model=case.model, openai_client=client), tools=[weather])
    if not case.stream:
        return (await Runner.run(agent, PROMPT, max_turns=MAX_TURNS)).final_output
    result = Runner.run_streamed(agent, PROMPT, max_turns=MAX_TURNS)
    async for _ in result.stream_events():
        pass
    return result.final_output


def run(case: Case, get_weather: GetWeather) -> str:
    return asyncio.run(run_agent(case, get_weather))


run_cases(run)
