"""`google-genai`: its automatic function calling."""

from google import genai
from google.genai import types

from cases import API_KEY, MAX_TURNS, PROMPT, Case, GetWeather, run_cases


def run(case: Case, get_weather: GetWeather) -> str:
    # The client declares the function by its signature.
    def weather(city: str) -> str:
        """The weather in a city"""
        return get_weather(city)

    weather.__name__ = "get_weather"
    options = types.HttpOptions(base_url=case.url, headers=case.headers)
    config = types.GenerateContentConfig(
        tools=[weather],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(maximum_remote_calls=MAX_TURNS),
    )
    with genai.Client(api_key=API_KEY, http_options=options) as client:
        if not case.stream:
            return client.models.generate_content(model=case.model, contents=PROMPT, config=config).text
        # The records of all turns come in one stream; the last answer follows the last call.
        answer = ""
        for record in client.models.generate_content_stream(model=case.model, contents=PROMPT, config=config):
            parts = (record.candidates[0].content.parts if record.candidates[0].content else None) or []
            for part in parts:
                answer = "" if part.function_call or part.function_response else answer + (part.text or "")
        return answer


run_cases(run)
