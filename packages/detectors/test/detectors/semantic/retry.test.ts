import { type AgentEvent, type CheckAnswer, detectionSchema } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PureVerdict, semanticLayer } from '../../../src/index.ts';
import { detectionOf, SessionAnalyzer } from '../../../src/internal.ts';

const detection = detectionOf(
  detectionSchema.parse({ preset: 'balanced', semantic: { after_turns: 3, interval: 4, mode: 'block' } }),
  semanticLayer,
);
const turn: AgentEvent = { type: 'turn_started' };
const retry: AgentEvent = { type: 'retry' };
const say = (text: string): AgentEvent => ({ type: 'content', text });
const look: AgentEvent[] = [
  { type: 'tool_call_request', name: 'look', args: {} },
  { type: 'tool_result', result: 'there is a door in the north wall' },
];
const sure: CheckAnswer = { analysis: 'It opens the same door again.', confidence: 0.97 };

function push(session: SessionAnalyzer, ...events: AgentEvent[]): PureVerdict[] {
  return events.flatMap((event) => [...session.push(event).verdicts]);
}

/** A session in its third turn, which has raised a check that is under way. */
function asked() {
  const session = new SessionAnalyzer('s', detection);
  push(session, { type: 'prompt_started', text: 'Find the door' }, turn, say('one'), turn, say('two'), turn);
  return { session, check: session.takeCheck()! };
}

describe('a pending check whose turn is retried', () => {
  it('gets its answer once, at the event that requested it', () => {
    const { session, check } = asked();
    expect(push(session, say('wrong'), retry, turn, say('right'))).toEqual([]);
    expect(session.takeCheck()).toBeUndefined();
    expect(session.answer(check.id, sure)?.verdicts).toMatchObject([
      { phase: 'opened', eventIndex: 5, count: 1 },
    ]);
    expect(session.answer(check.id, sure)).toBeUndefined();
  });

  it('may be answered between the retry and the retried turn', () => {
    const { session, check } = asked();
    push(session, say('wrong'), retry);
    const [opened] = session.answer(check.id, sure)!.verdicts;
    expect(push(session, turn, say('right'), retry, say('and right'), turn)).toEqual([]);
    expect(session.openIncidents).toEqual([opened!.incidentId]);
  });

  it('continues where the session is restored', () => {
    const { session, check } = asked();
    push(session, say('wrong'), retry, turn);
    const other = new SessionAnalyzer('s', detection);
    other.restore(JSON.parse(JSON.stringify(session.snapshot())) as ReturnType<typeof session.snapshot>);
    expect(other.checkUnderWay).toEqual(check);
    push(other, say('right'), retry);
    expect(other.answer(check.id, sure)).toEqual(session.answer(check.id, sure));
  });

  it('ends with a new prompt, whatever is retried afterwards', () => {
    const { session, check } = asked();
    push(session, say('wrong'), { type: 'prompt_started', text: 'Never mind' }, turn, say('a'), retry, turn);
    expect(session.answer(check.id, sure)).toBeUndefined();
  });

  it('keeps its own incident through a retry that resolves those of other detectors', () => {
    const { session, check } = asked();
    const verdicts = push(session, ...look, turn, ...look, turn, ...look);
    expect(verdicts).toMatchObject([{ phase: 'opened', detector: 'tool-repeat' }]);
    session.answer(check.id, sure);
    expect(push(session, retry)).toMatchObject([{ phase: 'resolved', detector: 'tool-repeat' }]);
    expect(session.openIncidents).toHaveLength(1);
    expect(push(session, { type: 'session_ended' })).toMatchObject([
      { phase: 'resolved', detector: 'semantic', outcome: 'ended' },
    ]);
  });
});

/** A turn: what it says, how often its stream fails, and after how many turns a check it raises is answered. */
interface Turn {
  readonly text: string;
  readonly inVain: readonly { readonly again: boolean }[];
  readonly late: number;
  readonly answer: CheckAnswer;
}

const anyTurn: fc.Arbitrary<Turn> = fc.record({
  text: fc.stringMatching(/^[a-z]{1,8}$/),
  inVain: fc.array(fc.record({ again: fc.boolean() }), { maxLength: 2 }),
  late: fc.nat(6),
  answer: fc.oneof(
    fc.constantFrom(0, 0.5, 0.95, 1).map((confidence): CheckAnswer => ({ analysis: 'so', confidence })),
    fc.constant<CheckAnswer>({ failure: 'timeout' }),
  ),
});

/** Runs the turns; each answer comes in the middle of the turn it is due in. */
function run(turns: readonly Turn[], retries: boolean) {
  const session = new SessionAnalyzer('s', detection);
  const checks: { turn: number; shown: string }[] = [];
  const told: unknown[] = [];
  const due: { id: string; at: number; answer: CheckAnswer }[] = [];
  const tell = (verdicts: readonly PureVerdict[]) => {
    told.push(...verdicts.map(({ phase, action, count, outcome }) => [phase, action, count, outcome]));
  };
  const settle = (at: number) => {
    const ready = due.filter((check) => check.at <= at);
    due.splice(0, due.length, ...due.filter((check) => check.at > at));
    for (const { id, answer } of ready) tell(session.answer(id, answer)?.verdicts ?? []);
  };
  push(session, { type: 'prompt_started', text: 'go' });
  turns.forEach(({ text, inVain, late, answer }, n) => {
    tell(push(session, turn));
    const check = session.takeCheck();
    if (check !== undefined) {
      checks.push({ turn: check.turn, shown: check.messages[1]!.content });
      due.push({ id: check.id, at: n + late, answer });
    }
    for (const { again } of retries ? inVain : []) {
      tell(push(session, say(`${text} in vain`)));
      settle(n);
      tell(push(session, retry, ...(again ? [turn] : [])));
      expect(session.takeCheck()).toBeUndefined();
    }
    settle(n);
    tell(push(session, say(text)));
  });
  return { checks, told };
}

it('retried turns change neither the checks, nor their input, nor the effect of late answers', () => {
  let told = 0;
  fc.assert(
    fc.property(fc.array(anyTurn, { minLength: 4, maxLength: 40 }), (turns) => {
      const plain = run(turns, false);
      expect(run(turns, true)).toEqual(plain);
      told += plain.told.length;
    }),
  );
  expect(told).toBeGreaterThan(20);
});
