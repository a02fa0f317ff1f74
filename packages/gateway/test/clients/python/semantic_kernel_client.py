"""`semantic-kernel`: a chat completion service that calls its functions itself."""

import asyncio

from openai import AsyncOpenAI
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory
from semantic_kernel.functions import kernel_function

from cases import API_KEY, MAX_TURNS, PROMPT, TOOL_DESCRIPTION, TOOL_NAME, Case, GetWeather, run_cases


async def run_agent(case: Case, get_weather: GetWeather) -> str:
    client = AsyncOpenAI(api_key=API_KEY, base_url=f"{case.url}/v1", max_retries=0, default_headers=case.headers)
    service = OpenAIChatCompletion(ai_model_id=case.model, async_client=client)
    text = ""

    @kernel_function(name=TOOL_NAME, description=TOOL_DESCRIPTION)
    def weather(city: str) -> str:
        # What the model says before a call is not its answer.
        nonlocal text
        text = ""
        return get_weather(city)

    kernel = Kernel()
    kernel.add_function("tools", weather)
    behavior = FunctionChoiceBehavior.Auto(maximum_auto_invoke_attempts=MAX_TURNS)
    settings = OpenAIChatPromptExecutionSettings(function_choice_behavior=behavior)
    history = ChatHistory()
    history.add_user_message(PROMPT)
    if not case.stream:
        return str(await service.get_chat_message_content(history, settings, kernel=kernel))
    async for part in service.get_streaming_chat_message_content(history, settings, kernel=kernel):
        text += str(part)
    return text


def run(case: Case, get_weather: GetWeather) -> str:
    return asyncio.run(run_agent(case, get_weather))


run_cases(run)
