import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

let uuid = 0;
const record = (type: string, message: object, more: object = {}) => {
  uuid += 1;
  return {
    type,
    uuid: `u${String(uuid)}`,
    parentUuid: null,
    sessionId: 's',
    timestamp: `2026-03-01T10:00:0${String(uuid % 10)}Z`,
    version: '2.1.63',
    message,
    ...more,
  };
};
const user = (content: unknown, more: object = {}) => record('user', { role: 'user', content }, more);
const answer = (id: string, block: object, output = 1, more: object = {}) =>
  record(
    'assistant',
    {
      id,
      model: 'claude-opus-5',
      content: [block],
      usage: {
        input_tokens: 2,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 400,
        output_tokens: output,
      },
    },
    more,
  );
const use = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: 'a' } });
const result = (id: string, content: unknown, isError?: boolean) => [
  { type: 'tool_result', tool_use_id: id, content, ...(isError !== undefined && { is_error: isError }) },
];
const read = (...records: object[]) => readAll('claude-code', records);

describe('Claude Code', () => {
  it('reads the lines of a message as one turn with the usage of the last line', () => {
    const { events } = read(
      user('look'),
      answer('m', { type: 'thinking', thinking: 'Hm' }),
      answer('m', { type: 'text', text: 'I look.' }, 5),
      answer('m', use('t'), 9),
      user(result('t', 'x')),
      answer('m2', { type: 'text', text: 'Done.' }),
    );
    expect(outline(events)).toEqual([
      'prompt_started look',
      'turn_started',
      'thought Hm',
      'content I look.',
      'tool_call_request Read',
      'tool_result x',
      'turn_finished',
      'turn_started',
      'content Done.',
      'turn_finished',
    ]);
    expect(events[6]).toMatchObject({
      id: 'm.end',
      model: 'claude-opus-5',
      agent: 'claude-code',
      agentVersion: '2.1.63',
      usage: { inputTokens: 432, outputTokens: 9, cachedInputTokens: 30, cacheWriteTokens: 400 },
    });
  });

  it('keeps the ids of records copied into a resumed session', () => {
    const [first, second] = [user('look'), answer('m', use('t'))];
    const copied = read(first, second, first, second).events.map(({ id }) => id);
    const once = [`${first.uuid}.0`, 'm.start', `${second.uuid}.0`, 'm.end'];
    expect(copied).toEqual([...once, ...once]);
  });

  it.each([
    ['their ids', {}],
    ['other ids', { uuid: 'other' }],
  ])('keeps the ids of records that were copied into a fork with %s, and names its parent', (_, ids) => {
    const forked = (original: { readonly uuid: string }) => {
      const forkedFrom = { sessionId: 's', messageUuid: original.uuid };
      return { ...original, sessionId: 'fork', forkedFrom, ...ids };
    };
    const originals = [user('look'), answer('m', use('t')), user(result('t', 'x'))];
    const eventIds = (records: readonly object[]) => read(...records).events.map(({ id }) => id);
    expect(eventIds(originals.map(forked))).toEqual(eventIds(originals));
    const { events } = read(...originals.map(forked), user('then', { sessionId: 'fork' }));
    expect(new Set(events.map(({ parentSessionId }) => parentSessionId))).toEqual(new Set(['s']));
  });

  it.each([
    ['a prompt', () => user('again', { timestamp: '2026-03-04T09:00:00Z' })],
    ['another message', () => answer('n', use('v'), 1, { timestamp: '2026-03-04T09:00:00Z' })],
    [
      'one of another session',
      () => answer('n', use('v'), 1, { timestamp: '2026-03-04T09:00:00Z', sessionId: 'o' }),
    ],
  ])('ends a message at its latest record or result, although %s comes days later', (_, next) => {
    const results = user(result('t', 'x'), { timestamp: '2026-03-01T10:00:30Z' });
    const { events } = read(user('look'), answer('m', use('t'), 9), results, next());
    const end = events.find(({ id }) => id === 'm.end');
    expect(end).toMatchObject({ time: Date.parse('2026-03-01T10:00:30Z'), usage: { outputTokens: 9 } });
  });

  it('knows no usage where a message has none of its counts', () => {
    const message = { id: 'm', content: [use('t')], usage: { service_tier: 'standard' } };
    const end = read(record('assistant', message)).events.at(-1);
    expect([end?.type, end?.['usage']]).toEqual(['turn_finished', undefined]);
  });

  it('reads which tokens were written to the cache for an hour', () => {
    const message = {
      id: 'm',
      content: [use('t')],
      usage: {
        input_tokens: 2,
        cache_creation_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 300 },
      },
    };
    expect(read(record('assistant', message)).events.at(-1)).toMatchObject({
      usage: { inputTokens: 402, cacheWriteTokens: 400, hourCacheWriteTokens: 300 },
    });
  });

  it('reads a command that runs again as a prompt of the harness, but no other meta record', () => {
    const { events, ignored } = read(
      user('/loop 20m look at CI', { isMeta: true }),
      user('Base directory for this skill: /s', { isMeta: true }),
    );
    expect(events).toMatchObject([
      { type: 'prompt_started', origin: 'harness', text: '/loop 20m look at CI' },
    ]);
    expect(ignored).toEqual(['user (meta)']);
  });

  it.each([
    ['its isError flag', result('t', 'no', true), { result: 'no', isError: true }],
    ['no isError flag as success', result('t', 'yes'), { result: 'yes', isError: false }],
    [
      'several texts as one',
      result('t', [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
      { result: 'a\nb' },
    ],
    [
      'an image unchanged',
      result('t', [{ type: 'image', source: {} }]),
      { result: [{ type: 'image', source: {} }] },
    ],
    ['no content as empty text', result('t', undefined), { result: '' }],
  ])('reads from a result %s', (_, content, expected) => {
    expect(read(user(content)).events).toEqual([
      expect.objectContaining({ type: 'tool_result', callId: 't', ...expected }),
    ]);
  });

  it('reads sub-agents as sessions with a parent', () => {
    const { events } = read(
      user('a', { agentId: 'x1', isSidechain: true }),
      user('b', { uuid: 'root', isSidechain: true }),
      user('c', { parentUuid: 'root', isSidechain: true }),
      user('d'),
    );
    expect(events.map(({ sessionId, parentSessionId }) => [sessionId, parentSessionId])).toEqual([
      ['s/x1', 's'],
      ['s/root', 's'],
      ['s/root', 's'],
      ['s', undefined],
    ]);
  });

  it('distinguishes texts of the program from user prompts', () => {
    const { events, ignored } = read(
      user('Caveat', { isMeta: true }),
      user('<local-command-stdout>ok</local-command-stdout>'),
      user([{ type: 'text', text: '[Request interrupted by user for tool use]' }]),
      user('This session is being continued', { isCompactSummary: true }),
      answer('e', { type: 'text', text: 'API Error: 529' }, 0, { isApiErrorMessage: true }),
      { type: 'progress', uuid: 'p', sessionId: 's', data: {} },
    );
    expect(events).toEqual([expect.objectContaining({ type: 'prompt_started', origin: 'harness' })]);
    expect(ignored).toEqual([
      'user (meta)',
      'user (output of a command)',
      'user (interruption)',
      'assistant (API error)',
      'progress',
    ]);
  });

  it('reads the feedback of hooks, and what stands beside results, as prompts of the program', () => {
    const { events } = read(
      user('Stop hook feedback:\n[lint.sh]: eslint: not found', { isMeta: true }),
      user('SubagentStop hook feedback: no report', { isMeta: true }),
      user([...result('t', 'x'), { type: 'text', text: '<system-reminder>plan mode</system-reminder>' }]),
    );
    expect(events.map(({ type, origin }) => [type, origin])).toEqual([
      ['prompt_started', 'harness'],
      ['prompt_started', 'harness'],
      ['tool_result', undefined],
      ['prompt_started', 'harness'],
    ]);
  });

  it('reads what was queued while the agent worked, by its author', () => {
    const queued = (attachment: object) => ({
      ...user(''),
      type: 'attachment',
      message: undefined,
      attachment: { type: 'queued_command', ...attachment },
    });
    const { events } = read(
      queued({ prompt: 'Skip the docs.', commandMode: 'prompt', origin: { kind: 'human' } }),
      queued({ prompt: 'Skip the tests.' }),
      queued({ prompt: '<task-notification>', commandMode: 'task-notification' }),
      user('<task-notification>', { origin: { kind: 'task-notification' } }),
    );
    expect(events.map(({ type, text, origin }) => [type, text, origin])).toEqual([
      ['prompt_started', 'Skip the docs.', undefined],
      ['prompt_started', 'Skip the tests.', undefined],
      ['prompt_started', '<task-notification>', 'harness'],
      ['prompt_started', '<task-notification>', 'harness'],
    ]);
  });

  it('reads the messages of a sub-agent in progress records as a session of its own', () => {
    const progress = (message: object) => ({
      ...record('progress', {}),
      message: undefined,
      data: { type: 'agent_progress', agentId: 'a7', message },
    });
    const { events } = read(
      progress(user('review the branch')),
      progress(answer('m', use('t'))),
      progress(user(result('t', 'x'))),
      { ...record('progress', {}), data: { type: 'bash_progress', output: 'x' } },
    );
    expect(outline(events)).toEqual([
      'prompt_started review the branch',
      'turn_started',
      'tool_call_request Read',
      'tool_result x',
      'turn_finished',
    ]);
    for (const event of events) expect(event).toMatchObject({ sessionId: 's/a7', parentSessionId: 's' });
  });

  describe('messages of the Agent SDK', () => {
    const message = (type: string, session: string, content: unknown, more: object = {}) => ({
      type,
      message: { role: type, id: `m-${session}`, content },
      parent_tool_use_id: null,
      session_id: session,
      ...more,
    });

    it('belong to the run that they name, without a uuid', () => {
      const { events, ignored } = read(
        { type: 'system', subtype: 'init', session_id: 'a', cwd: '/w', tools: ['Read'], model: 'm' },
        message('assistant', 'a', [use('t')]),
        message('user', 'a', result('t', 'x')),
        { type: 'result', subtype: 'success', session_id: 'a', num_turns: 1, result: 'ok' },
        message('assistant', 'b', [use('t')]),
      );
      expect(
        events.filter(({ type }) => type === 'tool_call_request').map((event) => event.sessionId),
      ).toEqual(['a', 'b']);
      expect(ignored).toEqual(['system', 'result']);
    });

    it('belong to a session of the sub-agent whose call they name', () => {
      const ofCall = (id: string) => ({ parent_tool_use_id: id, uuid: id });
      const { events } = read(
        message('assistant', 's', [use('one'), use('two')]),
        message('user', 's', 'look at A', ofCall('one')),
        message('user', 's', 'look at B', ofCall('two')),
      );
      const prompts = events.filter(({ type }) => type === 'prompt_started');
      expect(prompts.map(({ sessionId, parentSessionId }) => [sessionId, parentSessionId])).toEqual([
        ['s/one', 's'],
        ['s/two', 's'],
      ]);
    });

    it.each([
      ['of each run', (run: number) => 2 * run, () => 2],
      ['of the session so far', (run: number) => 2 * run, (run: number) => 2 * run],
    ])('have the output tokens that the result says, if it is the total %s', (_, done, counted) => {
      const used = (input: number, output: number) => ({
        usage: { input_tokens: input, cache_read_input_tokens: 100, output_tokens: output },
      });
      const said = (id: string) => ({
        ...message('assistant', 's', [{ type: 'text', text: id }]),
        message: { role: 'assistant', id, content: [{ type: 'text', text: id }], ...used(10, 1) },
      });
      const total = (count: number) => ({
        usage: {
          input_tokens: 10 * count,
          cache_read_input_tokens: 100 * count,
          output_tokens: 50 * count,
        },
      });
      const { events } = read(
        ...[1, 2].flatMap((run) => [
          said(`a${String(done(run))}`),
          said(`b${String(done(run))}`),
          { type: 'result', session_id: 's', num_turns: 2, ...total(counted(run)) },
        ]),
      );
      const sums = ['inputTokens', 'outputTokens'].map((name) =>
        events.reduce((sum, { usage }) => sum + Number(Object(usage)[name] ?? 0), 0),
      );
      expect(sums).toEqual([440, 200]);
    });

    it('keep their output tokens if the result is no total of theirs', () => {
      const { events } = read(
        {
          ...message('assistant', 's', []),
          message: {
            role: 'assistant',
            id: 'a',
            content: [{ type: 'text', text: 'Hi' }],
            usage: { input_tokens: 10, output_tokens: 5 },
          },
        },
        {
          type: 'result',
          session_id: 's',
          num_turns: 9,
          usage: { input_tokens: 700, output_tokens: 300 },
        },
      );
      expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 10, outputTokens: 5 } });
    });

    it('are no prompts of the user if the program wrote them', () => {
      const { events, ignored } = read(
        message('user', 's', [{ type: 'text', text: 'Base directory for this skill' }], {
          isSynthetic: true,
        }),
        {
          type: 'stream_event',
          event: { type: 'ping' },
          session_id: 's',
          parent_tool_use_id: null,
          uuid: 'u',
        },
      );
      expect(events).toEqual([]);
      expect(ignored).toEqual(['user (meta)', 'stream_event']);
    });
  });

  it('reads the results of tools that run at the API, without what is encrypted for it', () => {
    const found = (encrypted: string) => ({
      title: 'Locks',
      url: 'https://a.example',
      encrypted_content: encrypted,
    });
    const search = (id: string, content: unknown) => [
      answer(id, { type: 'server_tool_use', id: `srv_${id}`, name: 'web_search', input: { query: 'locks' } }),
      answer(id, { type: 'web_search_tool_result', tool_use_id: `srv_${id}`, content }),
    ];
    const failed = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' };
    const { events } = read(
      user('Find it'),
      ...search('a', [found('Eq8')]),
      ...search('b', [found('Zk2')]),
      ...search('c', failed),
    );
    const results = events.filter(({ type }) => type === 'tool_result');
    expect(results.map(({ callId, isError }) => [callId, isError])).toEqual([
      ['srv_a', false],
      ['srv_b', false],
      ['srv_c', true],
    ]);
    expect(results[0]?.result).toEqual(results[1]?.result);
    expect(JSON.stringify(results[0]?.result)).toContain('Locks');
  });
});
