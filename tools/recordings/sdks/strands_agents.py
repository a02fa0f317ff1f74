from agent import PROMPT, exported, read_file

from strands import Agent, tool
from strands.models.openai import OpenAIModel

provider = exported()
Agent(model=OpenAIModel(model_id="gpt-5-mini"), tools=[tool(read_file)], callback_handler=None)(PROMPT)
provider.shutdown()
