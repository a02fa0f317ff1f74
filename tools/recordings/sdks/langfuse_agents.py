import sys

from agent import PROMPT
from langchain_agent import agent
from langfuse import get_client
from langfuse.langchain import CallbackHandler

config = {"callbacks": [CallbackHandler()], "metadata": {"langfuse_session_id": f"langfuse-{sys.argv[1]}"}}
agent.invoke({"messages": [("user", PROMPT)]}, config)
get_client().shutdown()
