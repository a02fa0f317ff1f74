import asyncio
from typing import Annotated

from agent import PROMPT, exported, read_file

provider = exported()
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import KernelArguments, kernel_function


class Files:
    @kernel_function(name="read_file", description="Reads a file.")
    def read_file(self, path: Annotated[str, "The file"]) -> str:
        return read_file(path)


async def main() -> None:
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatPromptExecutionSettings

    settings = OpenAIChatPromptExecutionSettings(
        function_choice_behavior=FunctionChoiceBehavior.Auto(maximum_auto_invoke_attempts=20)
    )
    service = OpenAIChatCompletion(ai_model_id="gpt-5-mini")
    agent = ChatCompletionAgent(
        service=service, name="reader", plugins=[Files()], arguments=KernelArguments(settings=settings)
    )
    await agent.get_response(messages=PROMPT)


asyncio.run(main())
provider.shutdown()
