import type { AgentContractSettings } from '@loopwatch/contract';
import { antigravity } from './antigravity.ts';
import { anyAgent } from './any-agent.ts';
import { browserUse } from './browser-use.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilotCli } from './copilot-cli.ts';
import { geminiCli } from './gemini-cli.ts';
import { grok } from './grok.ts';
import { hermes } from './hermes.ts';
import { kimiCode } from './kimi-code.ts';
import { miniSweAgent } from './mini-swe-agent.ts';
import { openclaw } from './openclaw.ts';
import { opencode } from './opencode.ts';
import { openhands } from './openhands.ts';

/**
 * Shipped contracts by agent name. Tools whose names say what they do, such as `read_file`, need none,
 * nor do comments on commands. If two agents have a tool of the same name, the first wins, unless the events name
 * their agent.
 */
export const agentContracts: Readonly<Record<string, AgentContractSettings>> = {
  'any-agent': anyAgent,
  'claude-code': claudeCode,
  codex,
  'copilot-cli': copilotCli,
  'gemini-cli': geminiCli,
  opencode,
  openhands,
  cline,
  'mini-swe-agent': miniSweAgent,
  'browser-use': browserUse,
  'kimi-code': kimiCode,
  grok,
  hermes,
  openclaw,
  antigravity,
};
