import type { AgentEvent } from '@loopwatch/contract';
import * as z from 'zod';
import { eventsOf, type Turn } from '../recorded-run.ts';

const notebookSchema = z.object({
  cells: z.array(
    z.object({
      outputs: z.array(z.object({ text: z.array(z.string()).optional() })).optional(),
    }),
  ),
});

const runStart = /^-----------------\n(\d+)\n/m;
const action = /^(\w+)\[(.*)\]$/s;

/**
 * A run of ReAct on WebShop, as its notebook printed it: alternating lines `Action: click[Buy Now]` and `Observation: …`.
 * The first cell with output has the runs of the agent that thinks.
 *
 * @param part number of the run
 */
export function readWebShop(sessionId: string, text: string, part: string | undefined): AgentEvent[] {
  const { cells } = notebookSchema.parse(JSON.parse(text));
  const printed = cells.map(({ outputs }) => (outputs ?? []).flatMap((output) => output.text ?? []).join(''));
  const output = printed.find((all) => runStart.test(all)) ?? '';
  // Odd entries are the numbers of the runs, each followed by the run.
  const [, ...numbered] = output.split(new RegExp(runStart.source, 'gm'));
  const at = numbered.findIndex((entry, i) => i % 2 === 0 && entry === part);
  if (at === -1 || part === undefined) throw new Error(`no run ${part ?? ''}`);
  const [start, ...steps] = (numbered[at + 1] ?? '')
    .split(/^Action: /m)
    .slice(1)
    .map(stepOf);
  if (start?.action !== 'reset') throw new Error(`run ${part} does not begin with reset`);
  return eventsOf(sessionId, { prompt: start.observation, turns: steps.map(turnOf) });
}

function stepOf(step: string): { action: string; observation: string } {
  const [said = '', ...rest] = step.split('\nObservation: ');
  return { action: said.trim(), observation: rest.join('\nObservation: ').trim() };
}

function turnOf({ action: said, observation }: ReturnType<typeof stepOf>): Turn {
  const [, name = 'invalid', value = said] = action.exec(said) ?? [];
  if (name === 'think') return { text: value, calls: [], results: [] };
  return { text: '', calls: [{ name, args: { value } }], results: [observation] };
}
