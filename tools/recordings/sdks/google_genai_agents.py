import sys

from agent import PROMPT, exported, read_file

provider = exported()
if "openinference" in sys.argv:
    from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor

    GoogleGenAIInstrumentor().instrument()
else:
    from opentelemetry.instrumentation.google_genai import GoogleGenAiSdkInstrumentor

    GoogleGenAiSdkInstrumentor().instrument()

from google import genai

client = genai.Client()
client.models.generate_content(model="gemini-2.5-flash", contents=PROMPT, config={"tools": [read_file]})
provider.shutdown()
