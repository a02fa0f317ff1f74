import type { CheckAnswer } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import type { ConcludedCheck } from '../../src/stream/semantic-checks.ts';
import { PipelineTestDriver } from './pipeline-test-driver.ts';

const config = { preset: 'stream', semantic: { after_turns: 3 } } as const;
const sure: CheckAnswer = { analysis: 'round and round', confidence: 1 };
const event = (type: string, more: object = {}) => ({ sessionId: 's', type, ...more });
const turn = event('turn_started');
const wrong = [event('content', { text: 'wrong' }), event('retry')];
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Answers when the test says so. */
function held() {
  const waiting: { shown: string; answer: (answer: CheckAnswer) => void }[] = [];
  const late: ConcludedCheck[] = [];
  const driver = new PipelineTestDriver(config, {
    answer: ({ messages }) =>
      new Promise((answer) => waiting.push({ shown: messages.map(({ content }) => content).join(), answer })),
    onLateAnswer: (concluded) => {
      late.push(concluded);
      return undefined;
    },
  });
  return { driver, waiting, late };
}

describe('a retried turn with a pending check', () => {
  it('triggers no second check, and the late verdict belongs to the event that triggered the first', async () => {
    const { driver, waiting, late } = held();
    await driver.write([
      turn,
      turn,
      turn,
      ...wrong,
      turn,
      ...wrong,
      turn,
      event('content', { text: 'right' }),
    ]);
    expect(waiting).toHaveLength(1);
    waiting[0]!.answer(sure);
    await settled();
    expect(late.map(({ verdicts }) => verdicts)).toMatchObject([
      [{ phase: 'opened', eventIndex: 2, source: { firstOffset: '0', offset: '2' } }],
    ]);
    expect(driver.verdicts).toEqual([]);
  });

  it('counts once until the next check, which omits the discarded part', async () => {
    const { driver, waiting } = held();
    await driver.write([turn, turn, turn, ...wrong, turn]);
    waiting[0]!.answer(sure);
    await settled();
    await driver.write([...wrong, turn, turn, ...wrong, turn, turn, turn, turn]);
    expect(waiting).toHaveLength(1);
    await driver.write([turn]);
    expect(waiting).toHaveLength(2);
    expect(waiting[1]!.shown).not.toContain('wrong');
  });

  it('opens and resolves one incident, even if the retry follows the verdict', async () => {
    const { driver, waiting, late } = held();
    await driver.write([turn, turn, turn, event('content', { text: 'wrong' })]);
    waiting[0]!.answer(sure);
    await settled();
    await driver.write([event('retry'), turn, event('content', { text: 'right' }), event('session_ended')]);
    const opened = late[0]!.verdicts![0]!;
    expect(driver.verdicts).toMatchObject([
      { phase: 'resolved', outcome: 'ended', incidentId: opened.incidentId },
    ]);
  });
});
