import type { CheckAnswer } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { askJudge, type Judge, JudgeError, type JudgeRequest } from '../../src/semantic/ask-judge.ts';
import type { ConcludedCheck } from '../../src/stream/semantic-checks.ts';
import { PipelineTestDriver } from './pipeline-test-driver.ts';

const turn = (sessionId: string) => ({ sessionId, type: 'turn_started' });
const turns = (count: number, sessionId = 's') => Array.from({ length: count }, () => turn(sessionId));
const config = { preset: 'stream', semantic: { after_turns: 3 } } as const;
const sure: CheckAnswer = { analysis: 'round and round', confidence: 1 };

describe('a stream that waits for answers', () => {
  it('requests checks at exactly the scheduled turns of all sessions, even within one batch', async () => {
    const asked: string[] = [];
    const driver = new PipelineTestDriver(config, {
      answer: async ({ sessionId, turn }) => {
        await Promise.resolve();
        asked.push(`${sessionId}${String(turn)}`);
        return { analysis: '', confidence: sessionId === 'a' ? 0.9 : 0.1 };
      },
    });
    await driver.write(Array.from({ length: 20 }, () => [turn('a'), turn('b')]).flat());
    expect(asked).toEqual(['a3', 'b3', 'a9', 'a15', 'b17']);
    expect(driver.verdicts).toEqual([]);
  });

  it('emits the verdict before those of later events', async () => {
    const driver = new PipelineTestDriver(config, { answer: () => Promise.resolve(sure) });
    await driver.write([...turns(3), { sessionId: 's', type: 'prompt_started' }]);
    expect(driver.verdicts.map(({ phase, source }) => [phase, source?.firstOffset, source?.offset])).toEqual([
      ['opened', '0', '2'],
      ['resolved', '0', '3'],
    ]);
  });
});

describe('a stream that does not wait', () => {
  /** Answers when the test says so. */
  function held() {
    const waiting: ((answer: CheckAnswer) => void)[] = [];
    const late: ConcludedCheck[] = [];
    const driver = new PipelineTestDriver(config, {
      answer: () => new Promise((resolve) => waiting.push(resolve)),
      onLateAnswer: (concluded) => {
        late.push(concluded);
        return undefined;
      },
    });
    return { driver, waiting, late };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('continues meanwhile, and attributes the late verdict to the event that triggered the check', async () => {
    const { driver, waiting, late } = held();
    await driver.write([...turns(20), ...turns(2, 'other')]);
    expect(driver.events).toHaveLength(22);
    expect(waiting).toHaveLength(1);
    waiting[0]!(sure);
    await settled();
    expect(late).toMatchObject([
      {
        check: { sessionId: 's', turn: 3 },
        answer: sure,
        verdicts: [{ phase: 'opened', eventIndex: 2, source: { offset: '2' } }],
      },
    ]);
    await driver.write(turns(1));
    expect(waiting).toHaveLength(2);
  });

  it.each([
    [
      'a new prompt',
      (driver: PipelineTestDriver) => driver.write([{ sessionId: 's', type: 'prompt_started' }]),
    ],
    ['the loss of the partition', (driver: PipelineTestDriver) => Promise.resolve(driver.lose(0))],
    [
      'the loss of the partition, and its return',
      (driver: PipelineTestDriver) => driver.lose(0).write(turns(1)),
    ],
  ])('drops an answer after %s', async (_, happen) => {
    const { driver, waiting, late } = held();
    await driver.write(turns(3));
    await happen(driver);
    waiting[0]!(sure);
    await settled();
    expect(late.map(({ verdicts }) => verdicts)).toEqual([null]);
  });
});

describe('askJudge', () => {
  const json = (confidence: unknown) => JSON.stringify({ analysis: 'a', confidence });
  const timeout = new JudgeError('timeout', 'too late');
  const skipped = new JudgeError('skipped', 'no room');
  const check = { sessionId: 's', threshold: 0.9, messages: [] } as never;

  it.each<[string, boolean, (string | Error)[], CheckAnswer, string[]]>([
    ['an answer', false, [json(0.4)], { analysis: 'a', confidence: 0.4 }, []],
    ['a failure, then an answer', false, [timeout, json(1)], { analysis: 'a', confidence: 1 }, ['timeout']],
    ['two failures', false, [new Error('x'), 'no json'], { failure: 'malformed' }, ['error', 'malformed']],
    [
      'a confidence of 1.5, twice',
      false,
      [json(1.5), json('1')],
      { failure: 'malformed' },
      ['malformed', 'malformed'],
    ],
    ['a skipped check, without a retry', false, [skipped], { failure: 'skipped' }, ['skipped']],
    ['a confirmed loop', true, [json(1), json(0.95)], { analysis: 'a', confidence: 0.95 }, []],
    ['a loop that is not confirmed', true, [json(1), json(0.9)], { analysis: 'a', confidence: 0.9 }, []],
    ['no loop, without asking for confirmation', true, [json(0.9)], { analysis: 'a', confidence: 0.9 }, []],
    [
      'a failed confirmation',
      true,
      [json(1), timeout, timeout],
      { failure: 'timeout' },
      ['timeout', 'timeout'],
    ],
  ])('handles %s', async (_, secondOpinion, replies, expected, failures) => {
    const requests: JudgeRequest[] = [];
    const told: string[] = [];
    const judge: Judge = {
      ask: (request) => {
        const reply = replies[requests.push(request) - 1];
        return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(String(reply));
      },
    };
    const answer = await askJudge(judge, check, {
      secondOpinion,
      onFailure: (failure) => told.push(failure),
    });
    expect(answer).toEqual(expected);
    expect(requests).toHaveLength(replies.length);
    expect(told).toEqual(failures);
  });
});
