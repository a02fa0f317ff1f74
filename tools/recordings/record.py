"""
Records the telemetry of agent SDKs: runs each against a scripted model and stores what it exports.

    python3 tools/recordings/record.py [NAME...]

Each SDK is installed into an environment of its own, in `~/.cache/loopwatch/recordings`; `uv` is needed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from model import PATHS, Collector, Model, serve

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "packages/formats/test/telemetry/recorded"
CACHE = Path(os.environ.get("RECORDINGS_CACHE", Path.home() / ".cache/loopwatch/recordings"))


def environment(packages: list[str]) -> Path:
    """The Python of an environment with these packages."""
    folder = CACHE / hashlib.sha256("\n".join(packages).encode()).hexdigest()[:16]
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", folder], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", python, *packages], check=True)
    return python


def record(python: Path, script: str, options: list[str], model: str, collector: str) -> dict[str, list[object]]:
    """The export requests of each scenario."""
    runs: dict[str, list[object]] = {}
    for scenario in PATHS:
        Collector.requests.clear()
        env = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PYTHONPATH": str(HERE / "sdks"),
            "PYTHONWARNINGS": "ignore",
            "OPENAI_BASE_URL": f"{model}/v1",
            "OPENAI_API_BASE": f"{model}/v1",
            "OPENAI_API_KEY": "none",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
            "OTEL_SERVICE_NAME": "reader",
        }
        settings = dict(option.split("=", 1) for option in options if "=" in option)
        flags = [option for option in options if "=" not in option]
        subprocess.run(
            [python, "-P", HERE / "sdks" / script, scenario, *flags], check=True, env={**env, **settings}
        )
        runs[scenario] = [
            {"path": path, "body": base64.b64encode(gzip.compress(body, mtime=0)).decode()}
            for path, body in Collector.requests
        ]
    return runs


def main(names: list[str]) -> None:
    sdks = json.loads((HERE / "sdks.json").read_text())
    model, collector = serve(Model), serve(Collector)
    for sdk in sdks:
        if names and sdk["name"] not in names:
            continue
        runs = record(environment(sdk["packages"]), sdk["script"], sdk.get("options", []), model, collector)
        content = {"packages": sdk["packages"], "runs": runs}
        (TARGET / f"{sdk['name']}.json").write_text(json.dumps(content, indent=2) + "\n")
        sizes = {scenario: [len(request["body"]) for request in requests] for scenario, requests in runs.items()}
        print(sdk["name"], sizes, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
