import type { AgentEvent } from '@loopwatch/contract';
import { Translator } from '@loopwatch/formats';

interface Progress {
  readonly type?: string;
  readonly sessionId?: string;
  readonly data?: {
    readonly type?: string;
    readonly agentId?: string;
    readonly message?: object;
  };
}

/**
 * A session of Claude Code in the checkpoints of entireio/cli: a session file, as Claude Code wrote it.
 *
 * @param part id of a sub-agent, whose messages the session file has as progress of a call; undefined: the session itself
 */
export function readClaudeCode(sessionId: string, text: string, part: string | undefined): AgentEvent[] {
  const translator = new Translator({ format: 'claude-code', session: sessionId });
  const lines = text.split('\n').filter((line) => line !== '');
  const records = part === undefined ? lines : lines.flatMap((line) => messageOf(line, part));
  const events = [...records.flatMap((line) => translator.read(line).events), ...translator.end()];
  const own = events.filter((event) => (event['parentSessionId'] !== undefined) === (part !== undefined));
  if (own.length === 0) throw new Error(part === undefined ? 'no events' : `no sub-agent ${part}`);
  return own.map((event) => ({ ...event, sessionId }));
}

/** The message of a sub-agent in a line of progress, as a record of its own. */
function messageOf(line: string, agentId: string): string[] {
  // Most lines are about something else, and parsing them takes long.
  if (!line.includes('"agent_progress"')) return [];
  const { type, sessionId, data } = JSON.parse(line) as Progress;
  if (type !== 'progress' || data?.type !== 'agent_progress' || data.agentId !== agentId) return [];
  return [JSON.stringify({ ...data.message, sessionId, agentId, isSidechain: true })];
}
