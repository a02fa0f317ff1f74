import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { semanticLayer } from '../../src/index.ts';
import { detectionOf, effectiveSettings, SessionAnalyzer } from '../../src/internal.ts';
import { call, run, runReloading } from '../sessions.ts';

const config: DetectionInput = {
  preset: 'proxy',
  tool_call_loop: { max_repeats: 6, mode: 'warn', per_tool: { poll: { max_repeats: 9 } } },
  overrides: {
    models: {
      'openai/gpt-5-mini': { tool_call_loop: { max_repeats: 3 } },
      'openrouter/anthropic/claude.4': {
        tool_loop_detection_max_repeats: 2,
        tool_loop_detection_mode: 'break',
      },
      'local/llama': {
        tool_loop_detection_enabled: false,
        tool_loop_detection_ttl_seconds: 7,
        tool_loop_detection_max_repeats: 8,
        tool_call_loop: { enabled: true, per_tool: { write: { max_repeats: 4 } } },
      },
    },
  },
};
const server = detectionSchema.parse(config);
const { models } = server.overrides;

describe('the session overrides the model, which overrides the server:', () => {
  const labels = { backend: 'openai', model: 'gpt-5-mini' };
  test.each([
    { name: 'no labels', session: { backend: null, model: null }, expected: [6, 'warn'] },
    { name: 'a backend without a model', session: { backend: 'openai', model: null }, expected: [6, 'warn'] },
    { name: 'a model without settings', session: { backend: 'openai', model: 'o9' }, expected: [6, 'warn'] },
    { name: 'a model with settings', session: labels, expected: [3, 'warn'] },
    {
      name: 'a model with a slash, in the older spelling',
      session: { backend: 'openrouter', model: 'anthropic/claude.4' },
      expected: [2, 'block'],
    },
    {
      name: 'a session overrides the server',
      session: { backend: null, model: null, overrides: { 'tool_call_loop.max_repeats': 5 } },
      expected: [5, 'warn'],
    },
    {
      name: 'a session overrides a model',
      session: { ...labels, overrides: { 'tool_call_loop.max_repeats': 5 } },
      expected: [5, 'warn'],
    },
    {
      name: 'keys of session and model are combined',
      session: { ...labels, overrides: { 'tool_call_loop.mode': 'chance' } },
      expected: [3, 'chance_then_block'],
    },
    {
      name: 'a model named like a property of every object',
      session: { backend: 'x', model: 'constructor' },
      expected: [6, 'warn'],
    },
  ])('$name', ({ session, expected }) => {
    const { tool_call_loop: effective } = effectiveSettings(server, models, session);
    expect([effective.max_repeats, effective.mode]).toEqual(expected);
  });

  test('the newer spelling overrides the older one, and tools are merged by name', () => {
    const local = effectiveSettings(server, models, { backend: 'local', model: 'llama' });
    expect(local.tool_call_loop).toMatchObject({
      enabled: true,
      ttl_seconds: 7,
      max_repeats: 8,
      per_tool: { poll: { max_repeats: 9 }, write: { max_repeats: 4 } },
    });
  });

  test.each([
    { models: { gpt: {} }, message: /<backend>\/<model>/ },
    { models: { 'a/b': { kafka: {} } }, message: /kafka/ },
    { models: { 'a/b': { tool_loop_detection_mode: 'stop' } }, message: /warn/ },
    { models: { 'a/b': { semantic: { per_minute: 3 } } }, message: /per_minute/ },
    { models: { 'a/b': { semantic: { confidence: 2 } } }, message: /1/ },
  ])('$models is rejected', ({ models: bad, message }) => {
    expect(() => detectionSchema.parse({ overrides: { models: bad } })).toThrow(message);
  });
});

describe('a session and its model: the session', () => {
  const same = (labels: object = {}): AgentEvent => ({ ...call('read', { path: 'a' }), ...labels });
  const mini = { backend: 'openai', model: 'gpt-5-mini' };
  const claude = { backend: 'openrouter', model: 'anthropic/claude.4' };
  const set = (value: number): AgentEvent => ({
    type: 'control',
    set: { 'tool_call_loop.max_repeats': value },
  });

  test.each<{ name: string; events: AgentEvent[]; opened: [number, number, string][] }>([
    {
      name: 'uses the settings of its model',
      events: [same(mini), same(), same()],
      opened: [[2, 3, 'warn']],
    },
    {
      name: 'keeps its state when its model changes',
      events: [same(mini), same(), { type: 'turn_started', ...claude }, same()],
      opened: [[3, 3, 'block']],
    },
    {
      name: 'uses the settings of a model named later',
      events: [same(), same(), { ...same(), backend: 'openai' }, { ...same(), model: 'gpt-5-mini' }],
      opened: [[3, 4, 'warn']],
    },
    {
      name: 'uses the server settings for another model',
      events: Array.from({ length: 6 }, () => same({ model: 'x' })),
      opened: [[5, 6, 'warn']],
    },
    {
      name: 'overrides them with its own settings',
      events: [set(2), same(mini), same()],
      opened: [[2, 2, 'warn']],
    },
    {
      name: 'keeps its own settings when its model changes',
      events: [set(4), same(mini), same(claude), same(), same()],
      opened: [[4, 4, 'block']],
    },
    {
      name: 'falls back to its model when its own setting is unset',
      events: [
        set(9),
        same(mini),
        same(),
        { type: 'control', unset: ['tool_call_loop.max_repeats'] },
        same(),
      ],
      opened: [[4, 3, 'warn']],
    },
    {
      name: 'cannot change settings of all sessions',
      events: [{ type: 'control', set: { 'overrides.models': {} } }, same(mini), same(), same()],
      opened: [[3, 3, 'warn']],
    },
    {
      name: 'forgets its model after a long pause',
      events: [same(mini), { ...same(), time: 9e6 }, { ...same(), time: 9e6 }, { ...same(), time: 9e6 }],
      opened: [],
    },
  ])('$name', ({ events, opened }) => {
    const found = run(events, config).filter(({ phase }) => phase === 'opened');
    expect(found.map(({ eventIndex, count, action }) => [eventIndex, count, action])).toEqual(opened);
    expect(runReloading(events, () => true, config)).toEqual(run(events, config));
  });

  test('ends open incidents when its model has detection off', () => {
    const events = [
      ...Array.from({ length: 5 }, () => same()),
      { type: 'turn_started', backend: 'b', model: 'm' },
    ];
    const verdicts = run(events, { overrides: { models: { 'b/m': { enabled: false } } } });
    expect(verdicts.at(-1)).toMatchObject({ phase: 'resolved', outcome: 'disabled' });
  });
});

describe('a change to a preset that counts calls differently', () => {
  const config: DetectionInput = {
    preset: 'balanced',
    overrides: { models: { 'b/m': { preset: 'stream' }, 'b/x': { preset: 'similar' } } },
  };
  const step = (): AgentEvent[] => [
    call('read', { path: 'a' }),
    { type: 'tool_result', result: 'the same page as before' },
  ];
  const turn = (model: string): AgentEvent => ({ type: 'turn_started', backend: 'b', model });

  test('ends open incidents and restarts the count', () => {
    const events = [
      step(),
      step(),
      step(),
      turn('m'),
      ...Array.from({ length: 5 }, step),
      turn('other'),
    ].flat();
    const turns = Array.from({ length: 3 }, () => [turn('other'), ...step()]);
    const verdicts = run([...events, ...turns.flat()], config);
    expect(verdicts.map(({ phase, count, outcome }) => [phase, count, outcome])).toEqual([
      ['opened', 3, undefined],
      ['resolved', 3, 'disabled'],
      ['opened', 5, undefined],
      ['resolved', 5, 'disabled'],
      ['opened', 3, undefined],
    ]);
    expect(runReloading(events, () => true, config)).toEqual(run(events, config));
  });
});

describe('semantic settings per model:', () => {
  const settings: DetectionInput = {
    preset: 'stream',
    semantic: { after_turns: 12, confidence: 0.8 },
    overrides: {
      models: {
        'b/early': { semantic: { after_turns: 4, interval: 3 } },
        'b/calm': { semantic: { mode: 'warn', confidence: 0.95 } },
        'b/off': { semantic: { enabled: false } },
      },
    },
  };
  const off: DetectionInput = {
    ...settings,
    preset: 'proxy',
    overrides: { models: { 'b/on': { semantic: { enabled: true, after_turns: 5 } } } },
  };
  /** The turns that ask, each answered at once; the model's name comes with turn `known`. */
  const asked = (
    config: DetectionInput,
    model: string,
    {
      known = 1,
      confidence = null,
      own = {},
    }: { known?: number; confidence?: number | null; own?: object } = {},
  ) => {
    const session = new SessionAnalyzer('s', detectionOf(detectionSchema.parse(config), semanticLayer));
    session.push({ type: 'control', set: { ...own } });
    const turns: number[] = [];
    const opened: string[] = [];
    for (let turn = 1; turn <= 20; turn += 1) {
      session.push({ type: 'turn_started', ...(turn >= known && { backend: 'b', model }) });
      const check = session.takeCheck();
      if (check === undefined) continue;
      turns.push(turn);
      const answer = confidence === null ? ({ failure: 'error' } as const) : { analysis: '', confidence };
      const verdicts = session.answer(check.id, answer)?.verdicts ?? [];
      opened.push(...verdicts.filter(({ phase }) => phase === 'opened').map(({ action }) => action));
    }
    return { turns, opened };
  };

  test.each([
    { name: 'the server’s intervals', model: 'other', turns: [12] },
    { name: 'its own intervals', model: 'early', turns: [4, 7, 10, 13, 16, 19] },
    { name: 'its own intervals, even if named late', model: 'early', known: 6, turns: [6, 9, 12, 15, 18] },
    { name: 'no check', model: 'off', turns: [] },
    { name: 'the server’s intervals along with its own mode', model: 'calm', turns: [12] },
    {
      name: 'the session’s intervals instead of its own',
      model: 'early',
      own: { 'semantic.after_turns': 9 },
      turns: [9, 12, 15, 18],
    },
  ])('$model gets $name', ({ model, turns, ...how }) => {
    expect(asked(settings, model, how).turns).toEqual(turns);
  });

  test('the layer can be on for a single model', () => {
    expect(asked(off, 'on').turns).toEqual([5, 15]);
    expect(asked(off, 'other').turns).toEqual([]);
  });

  test.each([
    { model: 'other', confidence: 0.9, opened: ['block'] },
    { model: 'calm', confidence: 0.9, opened: [] },
    { model: 'calm', confidence: 0.96, opened: ['warn'] },
  ])(
    '$confidence is compared with the confidence of $model, whose mode applies',
    ({ model, confidence, opened }) => {
      expect(asked(settings, model, { confidence }).opened).toEqual(opened);
    },
  );
});
