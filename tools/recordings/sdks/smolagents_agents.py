from agent import MODEL, PROMPT, exported, read_file
from openinference.instrumentation.smolagents import SmolagentsInstrumentor

provider = exported()
SmolagentsInstrumentor().instrument()

from smolagents import CodeAgent, OpenAIModel, tool

CodeAgent([tool(read_file)], OpenAIModel("gpt-5-mini", api_base=MODEL, api_key="none"), verbosity_level=0).run(PROMPT)
provider.shutdown()
