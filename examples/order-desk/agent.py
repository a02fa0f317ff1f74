"""An agent that loops. Without an option its loop is watched; with --stop it is ended."""

import os
import sys

from loopwatch import Guard


def next_call():
    """Stands in for a model, so that the example needs no API key: it asks again for what it cannot find."""
    return {"order": "4711"}


def find_order(order):
    return f"No order {order}."


url = os.environ.get("LOOPWATCH_URL", "http://localhost:4600")
guard = Guard(url, mode="stop" if "--stop" in sys.argv else "watch", agent="order-desk")
guard.prompt("Where is my order 4711?")
find = guard.tool(find_order)
for turn in range(1, 21):
    args = next_call()
    print(f"{turn}. find_order({args['order']}): {find(**args)}")
    if guard.stopped:
        print(f"Ended: {guard.reason}")
        break
guard.close()
print(f"See {url}/sessions")
