import contextlib
import sys

from agent import MODEL, PROMPT, exported, read_file

provider = exported()
if "openinference" in sys.argv:
    from openinference.instrumentation.crewai import CrewAIInstrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    CrewAIInstrumentor().instrument(tracer_provider=provider, skip_dep_check=True)
    OpenAIInstrumentor().instrument(tracer_provider=provider)
else:
    from opentelemetry.instrumentation.crewai import CrewAIInstrumentor
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    CrewAIInstrumentor().instrument(tracer_provider=provider)
    OpenAIInstrumentor().instrument(tracer_provider=provider)
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

llm = LLM(model="openai/gpt-5-mini", base_url=MODEL, api_key="none")
agent = Agent(role="reader", goal="read", backstory="reads", tools=[tool("read_file")(read_file)], llm=llm)
task = Task(description=PROMPT, expected_output="text", agent=agent)
# CrewAI ends a run at the fifth identical call.
with contextlib.suppress(Exception):
    Crew(agents=[agent], tasks=[task], verbose=False).kickoff()
provider.shutdown()
