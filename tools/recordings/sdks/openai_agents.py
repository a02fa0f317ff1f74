import sys

from agent import PROMPT, exported, read_file
from agents import Agent, Runner, function_tool, set_trace_processors

provider = exported()
set_trace_processors([])
if "openinference" in sys.argv:
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
else:
    from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
Runner.run_sync(Agent(name="Reader", model="gpt-5-mini", tools=[function_tool(read_file)]), PROMPT, max_turns=20)
provider.shutdown()
