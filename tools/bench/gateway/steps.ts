import { prose, randomNumbers } from '../prose.ts';
import { type RecordedEvent, recordings } from '../recorded.ts';

/** One call of an agent, with its result. */
export interface StepCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly args: string;
  readonly result: string;
}

/** One reply of a model and what the agent did about it. */
export interface Step {
  readonly text: string;
  /** At least one, because the agent continues. */
  readonly calls: readonly StepCall[];
}

const GENERATED = 2_000;
const MAX_UNITS = 20_000;

/** The steps of recorded Claude Code sessions one after the other, or generated ones of the same sizes. */
export function agentSteps(): { readonly steps: readonly Step[]; readonly source: string } {
  const recorded = recordings('sessions').find(({ name }) => name === 'claude-code');
  const steps = recorded === undefined ? [] : recordedSteps(recorded.lines);
  if (steps.length > 0) return { steps: withoutRepetition(steps), source: 'recorded' };
  return { steps: generatedSteps(), source: 'generated' };
}

function recordedSteps(lines: readonly string[]): Step[] {
  const open = new Map<string, { text: string; calls: (StepCall & { result: string })[] }>();
  const steps: Step[] = [];
  for (const line of lines) {
    const event = JSON.parse(line) as RecordedEvent & Readonly<Record<string, unknown>>;
    let step = open.get(event.sessionId);
    if (step === undefined || event.type === 'turn_started') {
      if (step !== undefined && step.calls.length > 0) steps.push(step);
      step = { text: '', calls: [] };
      open.set(event.sessionId, step);
    }
    const { callId } = event;
    if (event.type === 'content') step.text += event.text ?? '';
    if (event.type === 'tool_call_request')
      step.calls.push({
        id: String(callId),
        name: String(event['name']),
        args: JSON.stringify(event['args'] ?? {}),
        result: '',
      });
    const call = step.calls.find(({ id }) => id === callId);
    if (event.type === 'tool_result' && call !== undefined) call.result = textOf(event['result']);
  }
  return steps;
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result ?? '');
}

/** The bench has no seconds between steps, so a recorded repetition would be stopped. */
function withoutRepetition(steps: readonly Step[]): Step[] {
  const keys = ({ calls }: Step): string[] => calls.map(({ name, args }) => name + args);
  let before: string[] = [];
  return steps.filter((step) => {
    const isRepeated = keys(step).some((key) => before.includes(key));
    before = [...before, ...keys(step)].slice(-8);
    return !isRepeated;
  });
}

/** Sizes in UTF-16 units at these shares of the recorded sessions, read between the points. */
const shares = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1];
const sizes = {
  text: [20, 39, 61, 99, 211, 716, 1225, 2384, 4000],
  args: [20, 70, 94, 123, 258, 1067, 1969, 6264, MAX_UNITS],
  result: [10, 40, 109, 493, 2099, 6265, 13_020, 20_024, MAX_UNITS],
};
const tools = ['read_file', 'run_command', 'edit_file', 'search', 'list_files'];

function generatedSteps(): Step[] {
  const random = randomNumbers(7);
  const size = (of: keyof typeof sizes): number => {
    const share = random();
    const at = shares.findLastIndex((start) => start <= share);
    const [from = 0, to = from] = sizes[of].slice(at, at + 2);
    const [left = 0, right = 1] = shares.slice(at, at + 2);
    return Math.round(from + ((to - from) * (share - left)) / (right - left));
  };
  return Array.from({ length: GENERATED }, (_, n): Step => {
    const made = 1 + (random() < 0.13 ? 1 : 0) + (random() < 0.03 ? 2 : 0);
    const calls = Array.from({ length: made }, (_call, i) => ({
      id: `call_${String(n)}_${String(i)}`,
      name: tools[Math.floor(random() * tools.length)] ?? '',
      args: JSON.stringify({
        path: `/repo/src/part-${String(n)}-${String(i)}.ts`,
        body: code(size('args'), n),
      }),
      result: code(size('result'), n + 1),
    }));
    return { text: random() < 0.5 ? prose(size('text'), n) : '', calls };
  });
}

/** Text with as many line breaks and quotes as source code has, which JSON escapes. */
function code(units: number, seed: number): string {
  const words = prose(units, seed).split(' ');
  return words
    .map((word, i) => (i % 7 === 6 ? `${word}\n  ` : i % 11 === 10 ? `"${word}"` : word))
    .join(' ')
    .slice(0, units);
}
