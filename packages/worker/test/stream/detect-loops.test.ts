import { type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { detectionOf, SessionAnalyzer } from '@loopwatch/detectors/internal';
import { filter, from, map, pipe } from 'rxjs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeadLetter, PipelineObserver } from '../../src/records.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import type { EventRecord, FaultPolicy } from '../../src/stream/decode.ts';
import { detectLoops } from '../../src/stream/detect.ts';
import { RecordFault } from '../../src/stream/each-record.ts';
import { isOutcome } from '../../src/stream/semantic-checks.ts';
import { inWords, marbles, record } from './marbles.ts';

const observer = {
  event: vi.fn<PipelineObserver['event']>(),
  duplicate: vi.fn<PipelineObserver['duplicate']>(),
  refusedSetting: vi.fn<PipelineObserver['refusedSetting']>(),
  turnRequest: vi.fn<PipelineObserver['turnRequest']>(),
  evicted: vi.fn<PipelineObserver['evicted']>(),
  abandoned: vi.fn<PipelineObserver['abandoned']>(),
  fault: vi.fn<PipelineObserver['fault']>(),
};
beforeEach(() => {
  for (const told of Object.values(observer)) told.mockClear();
});

const topicPartition = { topic: 'events', partition: 3 };

/** The operators on fresh sessions; two equal calls are a loop unless the settings say otherwise. */
function analyze(config: DetectionInput = { tool_call_loop: { max_repeats: 2 } }) {
  const settings = detectionSchema.parse({ preset: 'stream', ...config });
  const sessions = new SessionStore({
    detection: detectionOf(settings),
    maxSessions: 10,
    idleMs: 3_600_000,
    observer,
  }).open(topicPartition);
  return pipe(detectLoops(sessions, observer), filter(isOutcome));
}

let offset = 0;
beforeEach(() => {
  offset = 0;
});

/** The next record's item: an event of the session. */
function item(sessionId: string, event: { type: string; [field: string]: unknown }): EventRecord {
  offset += 1;
  return { type: 'event', record: record(offset, ''), sessionId, event };
}
const call = (sessionId: string, name = 'ls', more = {}) =>
  item(sessionId, { type: 'tool_call_request', name, ...more });

describe('events of sessions', () => {
  it('emits a verdict at the event that causes it, and nothing otherwise', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const items = { a: call('s'), b: item('s', { type: 'content', text: 'on' }), c: call('s') };
      const input = cold(' -a-b-c---|', items);
      const sub = '        ^--------!';
      const output = '     -----v---|';
      expectObservable(input.pipe(analyze(), map(inWords))).toBe(output, { v: 'opened in s at 2 @1..3' });
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it('emits all verdicts of one event together, in their order', () => {
    const config: DetectionInput = { tool_call_loop: { max_repeats: 2, similarity_threshold: 0.9 } };
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const items = {
        a: call('s', 'one'),
        b: call('s', 'one'),
        c: call('s', 'two'),
        d: call('s', 'two'),
        e: item('s', { type: 'session_ended' }),
      };
      const input = cold(' -abcd-e---|', items);
      const sub = '        ^---------!';
      const output = '     --v-w-(xy)|';
      expectObservable(input.pipe(analyze(config), map(inWords))).toBe(output, {
        v: 'opened in s at 2 @1..2',
        w: 'opened in s at 2 @3..4',
        x: 'resolved in s at 2 @1..5',
        y: 'resolved in s at 2 @3..5',
      });
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it('keeps interleaved sessions apart', () => {
    marbles(({ cold, expectObservable }) => {
      const items = {
        a: call('s'),
        x: call('t'),
        b: call('s'),
        y: call('t', 'other'),
        z: call('t', 'other'),
      };
      const input = cold(' axbyz|', items);
      const output = '     --v-w|';
      expectObservable(input.pipe(analyze(), map(inWords))).toBe(output, {
        v: 'opened in s at 2 @1..3',
        w: 'opened in t at 2 @4..5',
      });
    });
  });

  it('passes dead letters through in order, without stopping the stream', () => {
    const bad: DeadLetter = {
      type: 'dead_letter',
      record: record(99, 'x'),
      reason: 'not_json',
      message: 'bad',
    };
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const input = cold<EventRecord | DeadLetter>(' -abc-|', { a: call('s'), b: bad, c: call('s') });
      const sub = '        ^----!';
      const output = '     --bv-|';
      const output$ = input.pipe(
        analyze(),
        map((outcome) => (outcome === bad ? 'the same' : inWords(outcome))),
      );
      expectObservable(output$).toBe(output, { b: 'the same', v: 'opened in s at 2 @1..2' });
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it('propagates an error of its source', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const input = cold(' a-b-#', { a: call('s'), b: call('s') });
      const sub = '        ^---!';
      const output = '     --v-#';
      expectObservable(input.pipe(analyze(), map(inWords))).toBe(output, { v: 'opened in s at 2 @1..2' });
      expectSubscriptions(input.subscriptions).toBe(sub);
    });
  });

  it('unsubscribes from its source, and continues with its sessions when resubscribed', () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const items = { a: call('s'), b: call('s'), c: call('s'), d: call('s') };
      const input = hot('  a-b-c-d-', items);
      const leave = '      -!      ';
      const again = '      ---^--! ';
      const subs = ['      ^!      ', '---^--! '];
      const operator = analyze({ tool_call_loop: { max_repeats: 2 } });
      expectObservable(input.pipe(operator, map(inWords)), leave).toBe('        ');
      // The record between was missed, so the count is two.
      expectObservable(input.pipe(operator, map(inWords)), again).toBe('     ----v', {
        v: 'opened in s at 2 @1..3',
      });
      expectSubscriptions(input.subscriptions).toBe(subs);
    });
  });

  it.each<[string, (() => EventRecord)[], { [told in keyof PipelineObserver]?: unknown[][] }]>([
    [
      'the type of every event, known or not',
      [() => call('s'), () => item('s', { type: 'from_the_future' })],
      { event: [['tool_call_request'], ['from_the_future']] },
    ],
    [
      'a duplicate, which does not count as an event',
      [() => call('s', 'ls', { id: 'e' }), () => call('s', 'ls', { id: 'e' })],
      { event: [['tool_call_request']], duplicate: [[]] },
    ],
    [
      'a setting that does not exist',
      [() => item('s', { type: 'control', set: { preest: 'proxy' } })],
      { event: [['control']], refusedSetting: [['s', expect.stringContaining('did you mean preset?')]] },
    ],
    [
      'a setting with a bad value',
      [() => item('s', { type: 'control', set: { 'tool_call_loop.max_repeats': 1 } })],
      { event: [['control']], refusedSetting: [['s', expect.stringContaining('max_repeats = 1')]] },
    ],
    [
      'the incidents abandoned by a long pause',
      [
        () => call('s', 'ls', { time: 0 }),
        () => call('s', 'ls', { time: 1 }),
        () => call('s', 'ls', { time: 3_600_002 }),
        () => call('s', 'rm', { time: 3_600_003 }),
      ],
      { event: Array(4).fill(['tool_call_request']), abandoned: [[[expect.stringMatching(/^i-/)]]] },
    ],
  ])('notifies the observer of %s', (_, items, expected) => {
    from(items.map((next) => next()))
      .pipe(analyze())
      .subscribe();
    const told = Object.entries(observer).map(([name, { mock }]) => [name, mock.calls] as const);
    expect(Object.fromEntries(told.filter(([, calls]) => calls.length > 0))).toEqual(expected);
  });
});

describe('an event at which detection fails', () => {
  const broken = new Error('broken');

  /** Three equal calls, at the second of which detection fails; two are a loop. */
  function failing(faults?: FaultPolicy) {
    const settings = detectionSchema.parse({ preset: 'stream', tool_call_loop: { max_repeats: 2 } });
    const store = new SessionStore({
      detection: detectionOf(settings),
      maxSessions: 10,
      idleMs: 1000,
      observer,
    });
    const sessions = store.open(topicPartition);
    const { analyzer } = sessions.use('s', 0)!;
    const push = vi.spyOn(analyzer, 'push').mockImplementation((event, time, at) => {
      if (at === 2) throw broken;
      return SessionAnalyzer.prototype.push.call(analyzer, event, time, at);
    });
    const operator = pipe(detectLoops(sessions, observer, faults), filter(isOutcome), map(inWords));
    return { operator, push };
  }

  it('errors the stream, and no later event reaches a session', () => {
    const { operator, push } = failing();
    const found: unknown[] = [];
    from([call('s'), call('s'), call('s')])
      .pipe(operator)
      .subscribe({ next: (word) => found.push(word), error: (error: unknown) => found.push(error) });
    expect(found).toEqual([new RecordFault(record(2, ''), broken)]);
    expect(found).toMatchObject([{ offset: 2, cause: broken }]);
    expect(push).toHaveBeenCalledTimes(2);
  });

  it('becomes a dead letter if faults are skipped, and its session restarts', () => {
    const { operator } = failing('skip');
    const found: string[] = [];
    from([call('s'), call('s'), call('s'), call('s')])
      .pipe(operator)
      .subscribe((word) => found.push(word));
    expect(found).toEqual(['processing_failed @2', 'opened in s at 2 @3..4']);
    expect(observer.evicted.mock.calls).toEqual([['fault']]);
  });
});
