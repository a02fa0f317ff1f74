"""Each example of the README ends its agent's loop."""

import contextlib
import io
import re
import unittest
from pathlib import Path

import agent
from looping import URL

# Those of the test files for these frameworks.
ELSEWHERE = {"CrewAI", "LiteLLM"}
EXAMPLES = re.findall(r"## (.+?)\n\n```python\n(.+?)```", Path(__file__).parents[1].joinpath("README.md").read_text(), re.S)


class Readme(unittest.TestCase):
    def test_its_examples_end_a_loop(self):
        self.assertEqual(len(EXAMPLES), 7)
        for title, code in EXAMPLES:
            if title.split("\n")[0] in ELSEWHERE:
                continue
            with self.subTest(title):
                agent.runs = 0
                output = io.StringIO()
                # A busy machine may take longer than a second to answer.
                there = f'"{URL}", timeout=20'
                with contextlib.redirect_stdout(output):
                    exec(compile(code.replace('"http://localhost:4600"', there), title, "exec"), {})
                self.assertEqual(agent.runs, 3)
                self.assertIn("read_file", output.getvalue().splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
