"""`langgraph` with `langchain-openai`: a graph of a model and its tools, over both APIs."""

from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from cases import API_KEY, MAX_TURNS, PROMPT, TOOL_DESCRIPTION, TOOL_NAME, Case, GetWeather, run_cases


def run(case: Case, get_weather: GetWeather) -> str:
    model = ChatOpenAI(
        model=case.model,
        api_key=API_KEY,
        base_url=f"{case.url}/v1",
        max_retries=0,
        default_headers=case.headers,
        streaming=case.stream,
        use_responses_api=case.api == "responses",
    )

    def weather(city: str) -> str:
        return get_weather(city)

    tool = StructuredTool.from_function(weather, name=TOOL_NAME, description=TOOL_DESCRIPTION)
    asking = model.bind_tools([tool])
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [asking.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([tool]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    agent = graph.compile()
    given = {"messages": [("user", PROMPT)]}
    config = {"recursion_limit": 2 * MAX_TURNS}
    if not case.stream:
        return agent.invoke(given, config)["messages"][-1].text
    state = given
    for mode, value in agent.stream(given, config, stream_mode=["messages", "values"]):
        if mode == "values":
            state = value
    return state["messages"][-1].text


run_cases(run)
