import type { AgentEvent } from '@loopwatch/contract';
import { Translator } from '@loopwatch/formats';
import * as z from 'zod';

const runsSchema = z.array(z.looseObject({ task_id: z.string(), messages: z.array(z.looseObject({})) }));

/**
 * A run of LiveMCPBench: chat messages.
 *
 * @param part how the id of the task begins
 */
export function readLiveMcp(sessionId: string, text: string, part: string | undefined): AgentEvent[] {
  const run = runsSchema
    .parse(JSON.parse(text))
    .find(({ task_id }) => part !== undefined && task_id.startsWith(part));
  if (run === undefined) throw new Error(`no task ${part ?? ''}`);
  const translator = new Translator({ format: 'messages', session: sessionId });
  const { events } = translator.read(JSON.stringify({ messages: run.messages }));
  return [...events, ...translator.end()];
}
