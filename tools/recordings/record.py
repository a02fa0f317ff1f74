"""
Records the telemetry of agent SDKs: runs each against a scripted model and stores what it exports.

    python3 tools/recordings/record.py [NAME...]

Each SDK is installed into a folder of its own, in `~/.cache/loopwatch/recordings`: those in Python with `uv`, those in JavaScript with
`npm`.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from model import PATHS, Collector, Model, serve

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "packages/formats/test/telemetry/recorded"
CACHE = Path(os.environ.get("RECORDINGS_CACHE", Path.home() / ".cache/loopwatch/recordings"))


def command(script: str, packages: list[str]) -> list[str | Path]:
    """What runs a script where these packages are installed."""
    folder = CACHE / hashlib.sha256("\n".join(packages).encode()).hexdigest()[:16]
    if script.endswith(".py"):
        return [environment(folder, packages), "-P", HERE / "sdks" / script]
    if not (folder / "node_modules").exists():
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(["npm", "install", "--prefix", folder, *quiet, *packages], check=True)
    # Node looks for packages beside the script.
    for file in (HERE / "sdks").glob("*.mjs"):
        shutil.copy(file, folder)
    return ["node", folder / script]


def environment(folder: Path, packages: list[str]) -> Path:
    """The Python of an environment with these packages."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", folder], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", python, *packages], check=True)
    return python


def record(program: list[str | Path], options: list[str], model: str, collector: str) -> dict[str, list[object]]:
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
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": model,
            "GOOGLE_API_KEY": "none",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
            "LANGFUSE_BASE_URL": collector,
            "OTEL_SERVICE_NAME": "reader",
        }
        settings = dict(option.split("=", 1) for option in options if "=" in option)
        flags = [option for option in options if "=" not in option]
        subprocess.run([*program, scenario, *flags], check=True, env={**env, **settings})
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
        program = command(sdk["script"], sdk["packages"])
        runs = record(program, sdk.get("options", []), model, collector)
        content = {"packages": sdk["packages"], "runs": runs}
        (TARGET / f"{sdk['name']}.json").write_text(json.dumps(content, indent=2) + "\n")
        sizes = {scenario: [len(request["body"]) for request in requests] for scenario, requests in runs.items()}
        print(sdk["name"], sizes, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
