from agent import MODEL, PROMPT, exported, read_file
from openinference.instrumentation.agno import AgnoInstrumentor

provider = exported()
AgnoInstrumentor().instrument()

from agno.agent import Agent
from agno.models.openai import OpenAIChat

model = OpenAIChat(id="gpt-5-mini", base_url=MODEL, api_key="none")
Agent(model=model, tools=[read_file], telemetry=False).run(PROMPT)
provider.shutdown()
