"""The guard in crews of CrewAI, whose model is a script."""

import contextlib
import io
import re
import unittest
from pathlib import Path

import crew
from looping import URL, Counter, new_guard

from loopwatch.crewai import guarded

README = Path(__file__).parents[1].joinpath("README.md").read_text()


def run_crew(paths):
    guard, reader = new_guard(), Counter()
    answer = None
    with guarded(guard):
        answer = str(crew.crew_of(reader.read_file, paths).kickoff())
    guard.close()
    return guard, reader, answer


# Stops by Python client: CrewAI
class Crews(unittest.TestCase):
    def test_a_looping_agent_ends_at_the_third_denial(self):
        guard, reader, answer = run_crew(["config.yaml"] * 12)
        self.assertEqual((reader.runs, guard.stats().denied, guard.stopped, answer), (3, 3, True, None))
        self.assertIn("read_file", guard.reason)

    def test_a_healthy_agent_is_untouched(self):
        guard, reader, answer = run_crew([f"part-{n}.yaml" for n in range(4)])
        self.assertEqual((reader.runs, guard.stats().denied, guard.stats().faults, answer), (4, 0, 0, "Done."))

    def test_errors_of_the_crew_pass_through(self):
        with self.assertRaisesRegex(ValueError, "mine"), guarded(new_guard()):
            raise ValueError("mine")

    def test_the_example_of_the_readme_ends_a_loop(self):
        [code] = re.findall(r"## CrewAI\n\n```python\n(.+?)```", README, re.S)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code.replace('"http://localhost:4600"', f'"{URL}", timeout=20'), "CrewAI", "exec"), {})
        self.assertEqual(crew.runs, 3)
        self.assertIn("read_file", output.getvalue().splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
