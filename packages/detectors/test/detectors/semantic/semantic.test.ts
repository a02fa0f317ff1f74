import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { type SessionSnapshot, semanticLayer } from '../../../src/index.ts';
import { detectionOf, maskSecrets, openIncidentSummaries, SessionAnalyzer } from '../../../src/internal.ts';
import { shown } from '../../evidence.ts';

const turn: AgentEvent = { type: 'turn_started' };
const prompt: AgentEvent = { type: 'prompt_started', text: 'Fix the test' };
const sure = { analysis: 'It keeps changing the same line back and forth.', confidence: 0.97 };

function session(config: DetectionInput = {}, judged = true): SessionAnalyzer {
  return new SessionAnalyzer(
    's',
    detectionOf(detectionSchema.parse({ preset: 'stream', ...config }), judged ? semanticLayer : null),
  );
}

function push(analyzer: SessionAnalyzer, events: readonly AgentEvent[]) {
  return events.flatMap((event) => [...analyzer.push(event).verdicts]);
}

const turns = (count: number) => Array<AgentEvent>(count).fill(turn);

/** Each turn says its number. */
const talk = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i): AgentEvent[] => [
    { type: 'turn_started', id: `t${String(from + i)}`, time: (from + i) * 1000 },
    { type: 'content', text: `turn ${String(from + i)}` },
  ]).flat();

/** Units of the snapshot after so many turns with a text each. */
function keptAfter(count: number, text: string): number {
  const analyzer = session({ content_loop: { enabled: false } });
  for (let i = 1; i <= count; i += 1) push(analyzer, [turn, { type: 'content', text }]);
  return JSON.stringify(analyzer.snapshot()).length;
}

describe('a check', () => {
  it('shows the request and the last twenty turns before the event that triggers it', () => {
    const analyzer = session();
    push(analyzer, [prompt, ...talk(1, 29), { type: 'turn_started', id: 't30', time: 30_000 }]);
    const check = analyzer.takeCheck()!;
    expect(check).toMatchObject({ sessionId: 's', eventId: 't30', time: 30_000, turn: 30, threshold: 0.9 });
    const said = [...check.messages[1]!.content.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text);
    expect(said).toEqual(['Fix the test', ...Array.from({ length: 20 }, (_, i) => `turn ${String(10 + i)}`)]);
  });

  it('omits results whose call is not shown, and calls that have no result yet', () => {
    const analyzer = session();
    const step = (n: number): AgentEvent[] => [
      { type: 'tool_result', callId: `c${String(n - 1)}`, result: `result ${String(n - 1)}` },
      { type: 'tool_call_request', callId: `c${String(n)}`, name: `tool_${String(n)}` },
    ];
    push(analyzer, [prompt, ...Array.from({ length: 29 }, (_, i) => [turn, ...step(i + 1)]).flat(), turn]);
    const shown = analyzer.takeCheck()!.messages[1]!.content;
    // Turns 10 to 29 are shown: the first begins with the result of a call before them, the last ends with a call.
    expect([9, 10, 28, 29].map((n) => shown.includes(`"text":"result ${String(n)}"`))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([9, 10, 28, 29].map((n) => shown.includes(`"tool":"tool_${String(n)}"`))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('stores nothing of turns that no check can show any more', () => {
    const long = 'long '.repeat(500);
    expect(keptAfter(9, long) - keptAfter(9, 'a')).toBeLessThan(20);
    expect(keptAfter(10, long) - keptAfter(10, 'a')).toBeGreaterThan(500);
  });

  it('is returned once', () => {
    const analyzer = session();
    push(analyzer, turns(30));
    expect(analyzer.takeCheck()?.turn).toBe(30);
    expect(analyzer.takeCheck()).toBeUndefined();
    push(analyzer, turns(100));
    expect(analyzer.takeCheck()).toBeUndefined();
  });

  it('omits what a retry discards', () => {
    const analyzer = session();
    push(analyzer, [prompt, ...turns(29), { type: 'content', text: 'wrong' }, { type: 'retry' }]);
    push(analyzer, [{ type: 'content', text: 'right' }, turn]);
    const content = analyzer.takeCheck()!.messages[1]!.content;
    expect(content).toContain('"text":"right"');
    expect(content).not.toContain('wrong');
  });

  it('runs once in a retried turn, and keeps its answer', () => {
    const analyzer = session();
    push(analyzer, [prompt, ...talk(1, 29), turn]);
    const check = analyzer.takeCheck()!;
    push(analyzer, [{ type: 'content', text: 'a' }]);
    const opened = analyzer.answer(check.id, sure)!.verdicts;
    expect(push(analyzer, [{ type: 'retry' }, turn, { type: 'content', text: 'b' }])).toEqual([]);
    expect(analyzer.openIncidents).toEqual([opened[0]!.incidentId]);
    push(analyzer, turns(4));
    expect(analyzer.takeCheck()).toBeUndefined();
    push(analyzer, turns(1));
    const next = analyzer.takeCheck();
    expect(next?.turn).toBe(35);
    expect(analyzer.answer(next!.id, sure)?.verdicts).toMatchObject([{ phase: 'escalated', count: 2 }]);
  });

  it('moves the evidence of the open incident, also where no verdict is due', () => {
    let analyzer = session();
    push(analyzer, [prompt, ...talk(1, 29), turn]);
    for (const analysis of ['First.', 'Second.', 'Third.']) {
      let check = analyzer.takeCheck();
      while (check === undefined) {
        push(analyzer, [turn]);
        check = analyzer.takeCheck();
      }
      analyzer.answer(check.id, { analysis, confidence: 0.97 });
      const snapshot = JSON.parse(JSON.stringify(analyzer.snapshot())) as SessionSnapshot;
      analyzer = session();
      analyzer.restore(snapshot);
    }
    const [open] = openIncidentSummaries(analyzer.state);
    expect(open).toMatchObject({ count: 3, latest: { evidence: { analysis: 'Third.', turn: 40 } } });
    expect(open?.latest?.reason).toMatch(/^Turns 20-39 .*Third$/);
  });

  it('has an id made of session, event id and event time', () => {
    const ids = ['s', 'other'].flatMap((id) =>
      [0, 1].map((time) => {
        const analyzer = new SessionAnalyzer(
          id,
          detectionOf(detectionSchema.parse({ preset: 'stream' }), semanticLayer),
        );
        push(analyzer, [...turns(29), { ...turn, time }]);
        return analyzer.takeCheck()?.id;
      }),
    );
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^c-[0-9a-f]{32}$/);
  });
});

describe('a verdict', () => {
  it('belongs to the event that triggered the check, however late the answer is', () => {
    const verdicts = [0, 1, 40].map((late) => {
      const analyzer = session();
      push(analyzer, [
        prompt,
        ...talk(1, 29),
        { type: 'turn_started', id: 't30', time: 30_000, model: 'm1' },
      ]);
      const check = analyzer.takeCheck()!;
      push(analyzer, Array<AgentEvent>(late).fill({ ...turn, model: 'm2', promptId: 'p' }));
      return analyzer.answer(check.id, sure)?.verdicts;
    });
    expect(verdicts[1]).toEqual(verdicts[0]);
    expect(verdicts[2]).toEqual(verdicts[0]);
    expect(verdicts[0]).toEqual([
      expect.objectContaining({
        phase: 'opened',
        kind: 'loop',
        detector: 'semantic',
        action: 'block',
        eventId: 't30',
        eventIndex: 59,
        time: 30_000,
        confidence: 0.97,
        count: 1,
        model: 'm1',
        promptId: null,
        reason:
          'Turns 10-29 look like a loop (97% confidence): It keeps changing the same line back and forth',
        evidence: {
          analysis: sure.analysis,
          turn: 30,
          shown: { from: 10, to: 29 },
          threshold: 0.9,
          lastAction: 'block',
        },
        cost: { calls: 0, turns: 21, characters: 140, tokens: null, ms: 20_000 },
      }),
    ]);
  });

  it('masks the quotes of the judge, and omits them if text is not stored', () => {
    const key = 'sk-aaaaaaaaaaaaaaaaaaaaaaaa';
    const evidence = [true, false].map((store_text) => {
      const analyzer = session({ privacy: { store_text }, semantic: { mode: 'chance_then_block' } });
      push(analyzer, turns(30));
      const [verdict] = analyzer.answer(analyzer.takeCheck()!.id, {
        analysis: `It sends ${key}`,
        confidence: 1,
      })!.verdicts;
      return [shown(verdict, 'analysis'), verdict!.guidance?.includes(key)];
    });
    expect(evidence).toEqual([
      [maskSecrets(`It sends ${key}`), false],
      ['‹not stored›', undefined],
    ]);
  });

  it('has guidance for a model that gets a chance', () => {
    const analyzer = session({ preset: 'balanced' });
    push(analyzer, turns(30));
    const [verdict] = analyzer.answer(analyzer.takeCheck()!.id, sure)!.verdicts;
    expect(verdict).toMatchObject({ action: 'chance', guidance: expect.stringContaining(sure.analysis) });
  });
});

describe('an answer', () => {
  it.each<[string, AgentEvent]>([
    ['a new prompt', prompt],
    ['the end of the session', { type: 'session_ended' }],
    ['the layer is switched off', { type: 'control', set: { 'semantic.enabled': false } }],
    ['a pause that restarts the session', { ...turn, time: 4_000_000 }],
  ])('is dropped after %s', (_, event) => {
    const analyzer = session();
    push(analyzer, turns(30));
    const check = analyzer.takeCheck()!;
    push(analyzer, [event]);
    expect(analyzer.answer(check.id, sure)).toBeUndefined();
    expect(analyzer.openIncidents).toEqual([]);
  });

  it('is dropped if it belongs to another check or comes twice', () => {
    const analyzer = session();
    push(analyzer, turns(30));
    const check = analyzer.takeCheck()!;
    expect(analyzer.answer('c-0', sure)).toBeUndefined();
    expect(analyzer.answer(check.id, sure)?.verdicts).toHaveLength(1);
    expect(analyzer.answer(check.id, sure)).toBeUndefined();
  });

  it('reaches its check after other settings of the session have changed, without a second request', () => {
    const analyzer = session();
    push(analyzer, turns(30));
    const check = analyzer.takeCheck()!;
    push(analyzer, [{ type: 'control', set: { 'tool_call_loop.max_repeats': 9 } }]);
    expect(analyzer.takeCheck()).toBeUndefined();
    expect(analyzer.answer(check.id, sure)?.verdicts).toHaveLength(1);
  });

  it('reaches its check in a restored session, which reports the pending check', () => {
    const analyzer = session();
    push(analyzer, [prompt, ...talk(1, 29), { ...turn, id: 't30' }]);
    const check = analyzer.takeCheck()!;
    const expected = session();
    expected.restore(analyzer.snapshot());
    const loaded = session();
    loaded.restore(JSON.parse(JSON.stringify(analyzer.snapshot())) as SessionSnapshot);
    expect(loaded.checkUnderWay).toEqual(check);
    expect(loaded.answer(check.id, sure)).toEqual(expected.answer(check.id, sure));
    expect(loaded.checkUnderWay).toBeUndefined();
  });
});

describe('the semantic layer without a model', () => {
  it('requests and stores nothing, and does not change the configuration hash', () => {
    const [off, unjudged] = [session({ semantic: { enabled: false } }, true), session({}, false)];
    const events = [prompt, ...talk(1, 60)];
    push(off, events);
    push(unjudged, events);
    expect(unjudged.takeCheck()).toBeUndefined();
    expect(unjudged.snapshot()).toEqual(off.snapshot());
    const plan = (judged: boolean) =>
      detectionOf(detectionSchema.parse({ preset: 'stream' }), judged ? semanticLayer : null).plan.configHash;
    expect(plan(false)).toBe(
      detectionOf(detectionSchema.parse({ preset: 'stream', semantic: { enabled: false } }), semanticLayer)
        .plan.configHash,
    );
    expect(plan(true)).not.toBe(plan(false));
  });
});
