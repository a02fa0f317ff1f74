import type { FormatName } from '@loopwatch/contract';
import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { withHookInputs } from './agents/hook-input.ts';
import { opencode } from './agents/opencode.ts';
import { openhands } from './agents/openhands.ts';
import { canonical } from './canonical.ts';
import { cloudevents } from './cloudevents.ts';
import { adk } from './logs/adk.ts';
import { antigravity } from './logs/antigravity.ts';
import { atif } from './logs/atif.ts';
import { autogen } from './logs/autogen.ts';
import { cline } from './logs/cline.ts';
import { copilotCli } from './logs/copilot-cli.ts';
import { crush } from './logs/crush.ts';
import { cursor } from './logs/cursor.ts';
import { goose } from './logs/goose.ts';
import { kimiCode } from './logs/kimi-code.ts';
import { pi } from './logs/pi.ts';
import { pydanticAi } from './logs/pydantic-ai.ts';
import { qwenCode } from './logs/qwen-code.ts';
import { smolagents } from './logs/smolagents.ts';
import { sweAgent } from './logs/swe-agent.ts';
import { vscodeChat } from './logs/vscode-chat.ts';
import type { Format } from './record/format.ts';
import type { JsonObject } from './record/json.ts';
import { acp } from './streams/acp.ts';
import { agUi } from './streams/ag-ui.ts';
import { anthropic } from './streams/anthropic.ts';
import { gemini } from './streams/gemini.ts';
import { langchain } from './streams/langchain.ts';
import { messages } from './streams/messages.ts';
import { openaiChat } from './streams/openai-chat.ts';
import { openaiResponses } from './streams/openai-responses.ts';
import { vercelAi } from './streams/vercel-ai.ts';
import { langfuse } from './telemetry/langfuse.ts';
import { langsmith } from './telemetry/langsmith.ts';
import { litellm } from './telemetry/litellm.ts';
import { mlflow } from './telemetry/mlflow.ts';
import { openaiAgents } from './telemetry/openai-agents.ts';
import { otlp } from './telemetry/otlp.ts';

/** All formats. */
export const formats: readonly Format[] = [
  canonical,
  claudeCode,
  codex,
  geminiCli,
  opencode,
  openhands,
  qwenCode,
  pi,
  withHookInputs(kimiCode, 'kimi-code'),
  antigravity,
  copilotCli,
  cursor,
  cline,
  goose,
  crush,
  sweAgent,
  atif,
  smolagents,
  vscodeChat,
  adk,
  autogen,
  pydanticAi,
  messages,
  otlp,
  litellm,
  langfuse,
  langsmith,
  openaiAgents,
  mlflow,
  openaiChat,
  openaiResponses,
  anthropic,
  gemini,
  agUi,
  withHookInputs(acp, 'grok'),
  langchain,
  cloudevents,
  vercelAi,
];

/** The format with this name. */
export function formatOf(name: FormatName): Format | undefined {
  return formats.find((format) => format.name === name);
}

/** The format that recognizes the record. */
export function recognize(record: JsonObject): Format | undefined {
  return formats.find((format) => format.recognizes(record));
}

/** The format that shares the most top-level keys with an unrecognized record, and most of the record's keys. */
export function nearestFormat(record: JsonObject): Format | undefined {
  const keys = new Set(Object.keys(record));
  let nearest: Format | undefined;
  // A single key, such as `type`, is not significant.
  let maxShared = Math.max(1, Math.floor(keys.size / 2));
  for (const format of formats) {
    const shared = format.keys.filter((key) => keys.has(key)).length;
    if (shared > maxShared) {
      nearest = format;
      maxShared = shared;
    }
  }
  return nearest;
}
