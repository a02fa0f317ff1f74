import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

const session = {
  id: 'ses_2',
  projectID: 'p',
  directory: '/w',
  title: 't',
  parentID: 'ses_1',
  time: { created: 1, updated: 2 },
};
const message = (id: string, role: string) => ({
  id,
  sessionID: 'ses_2',
  role,
  modelID: 'm',
  providerID: 'p',
  time: { created: 1_760_000_000_000 },
});
const part = (id: string, messageID: string, more: object) => ({
  id,
  sessionID: 'ses_2',
  messageID,
  ...more,
});
const tool = (status: string, more: object = {}) =>
  part('prt_3', 'a', {
    type: 'tool',
    tool: 'bash',
    callID: 'c',
    state: { status, input: { command: 'ls' }, ...more },
  });
const parts = [
  part('prt_1', 'u', { type: 'text', text: 'list' }),
  part('prt_2', 'a', { type: 'step-start' }),
  tool('completed', { output: 'a', time: { start: 1_760_000_001_000, end: 1_760_000_002_000 } }),
  part('prt_4', 'a', { type: 'text', text: 'Done.' }),
  part('prt_5', 'a', {
    type: 'step-finish',
    cost: 0.02,
    tokens: { input: 1, output: 2, reasoning: 4, cache: { read: 30, write: 400 } },
  }),
];
const expected = [
  'prompt_started list',
  'turn_started',
  'tool_call_request bash',
  'tool_result a',
  'content Done.',
  'turn_finished',
];

describe('opencode', () => {
  it('reads an export of opencode 2, whose messages have their calls', () => {
    const state = { status: 'completed', input: { command: 'ls' }, content: [{ type: 'text', text: 'a' }] };
    const time = { created: 1_760_000_000_000, completed: 1_760_000_002_000 };
    const { events, ignored } = readAll('opencode', [
      {
        info: session,
        messages: [
          { id: 'msg_1', type: 'user', text: 'list', time },
          { id: 'msg_2', type: 'system', text: 'The date changed.', time },
          {
            id: 'msg_3',
            type: 'assistant',
            model: { id: 'm', providerID: 'p' },
            content: [
              { type: 'tool', id: 'c', name: 'bash', state, time },
              { type: 'text', text: 'Done.' },
            ],
            cost: 0.02,
            tokens: { input: 1, output: 2, reasoning: 4, cache: { read: 30, write: 400 } },
            time,
          },
        ],
      },
    ]);
    expect(outline(events)).toEqual(expected);
    expect(ignored).toContain('message (system)');
    expect(events.at(-1)).toMatchObject({
      sessionId: 'ses_2',
      parentSessionId: 'ses_1',
      model: 'm',
      usage: { inputTokens: 431, outputTokens: 6, cachedInputTokens: 30 },
      costUsd: 0.02,
    });
  });

  it('leaves out what a fork has copied: messages that are older than it', () => {
    const at = 1_760_000_100_000;
    const fork = { ...session, time: { created: at } };
    const later = (one: object) => ({ ...one, time: { created: at + 1_000, completed: at + 2_000 } });
    const again = part('prt_6', 'v', { type: 'text', text: 'again' });
    const copied = [message('u', 'user'), message('a', 'assistant'), ...parts];
    const { events } = readAll('opencode', [fork, ...copied, later(message('v', 'user')), again]);
    expect(outline(events)).toEqual(['prompt_started again']);
    const stored = { id: 'msg_1', sessionID: 'ses_2', type: 'user', text: 'list', time: { created: at - 1 } };
    const ofTwo = readAll('opencode', [fork, stored, later({ ...stored, id: 'msg_2', text: 'again' })]);
    expect(outline(ofTwo.events)).toEqual(['prompt_started again']);
    expect(ofTwo.ignored).toContain('message (copied)');
  });

  it('reads storage files', () => {
    const { events } = readAll('opencode', [
      session,
      message('u', 'user'),
      message('a', 'assistant'),
      ...parts,
    ]);
    expect(outline(events)).toEqual(expected);
    expect(
      events.every(({ sessionId, parentSessionId }) => sessionId === 'ses_2' && parentSessionId === 'ses_1'),
    ).toBe(true);
    expect(events[3]).toMatchObject({ time: 1_760_000_002_000, isError: false, model: 'm' });
    expect(events[5]).toMatchObject({
      costUsd: 0.02,
      usage: {
        inputTokens: 431,
        outputTokens: 6,
        cachedInputTokens: 30,
        cacheWriteTokens: 400,
        reasoningTokens: 4,
      },
    });
  });

  it('reads an export like storage files', () => {
    const document = {
      info: session,
      messages: [
        { info: message('u', 'user'), parts: parts.slice(0, 1) },
        { info: message('a', 'assistant'), parts: parts.slice(1) },
      ],
    };
    expect(outline(readAll('opencode', [document]).events)).toEqual(expected);
  });

  it('reports a part that is written repeatedly once, and text when it is complete', () => {
    const updated = (one: object) => ({ type: 'message.part.updated', properties: { part: one } });
    const { events, ignored } = readAll('opencode', [
      updated(tool('pending')),
      updated(tool('running')),
      updated(tool('error', { error: 'no' })),
      updated(part('prt_4', 'a', { type: 'text', text: 'Do' })),
      updated(part('prt_4', 'a', { type: 'text', text: 'Done.', time: { start: 1, end: 2 } })),
    ]);
    expect(events.map(({ id }) => id)).toEqual(['call:c', 'call:c', 'result:c', 'prt_4']);
    expect(events[2]).toMatchObject({ result: 'no', isError: true });
    expect(ignored).toEqual(['part (tool, pending)', 'part (text, unfinished)']);
  });
});
