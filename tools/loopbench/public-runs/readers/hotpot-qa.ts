import type { AgentEvent } from '@loopwatch/contract';
import { eventsOf, type Turn } from '../recorded-run.ts';

const action = /^(\w+)\[(.*)\]$/s;
const stepStart = /^Thought \d+: /m;

/**
 * A run of ReAct on HotpotQA in the logs of Reflexion: `Question: …`, then lines `Thought 1: …`, `Action 1: Search[…]` and
 * `Observation 1: …`, by trial and by how the runs ended.
 *
 * @param part `trial 1, halted 4`: the fourth run of those that halted in the first trial
 */
export function readHotpotQa(sessionId: string, text: string, part: string | undefined): AgentEvent[] {
  const [, trial = '', end = '', number = ''] = /^trial (\d+), (\w+) (\d+)$/.exec(part ?? '') ?? [];
  const inTrial = section(text, `BEGIN TRIAL ${trial}\n`, 'BEGIN TRIAL ');
  const ended = section(inTrial, `BEGIN ${end.toUpperCase()} AGENTS`, 'BEGIN ');
  const run = ended.split(/^Question: /m)[Number(number)];
  if (run === undefined || number === '') throw new Error(`no run ${part ?? ''}`);
  const [prompt = '', ...steps] = run.split(stepStart);
  return eventsOf(sessionId, { prompt: prompt.trim(), turns: steps.map(turnOf) });
}

function section(text: string, start: string, next: string): string {
  const from = text.indexOf(start);
  if (from === -1) return '';
  const to = text.indexOf(next, from + start.length);
  return text.slice(from, to === -1 ? undefined : to);
}

function turnOf(step: string): Turn {
  const [thought = '', rest = ''] = step.split(/^Action \d+: /m);
  const [said = '', observation = ''] = rest.split(/^Observation \d+: /m);
  const [, name, value] = action.exec(said.trim()) ?? [];
  if (name === undefined) return { text: thought.trim(), calls: [], results: [] };
  const result = observation.split(/^Correct answer: /m)[0] ?? '';
  return { text: thought.trim(), calls: [{ name, args: { value } }], results: [result.trim()] };
}
