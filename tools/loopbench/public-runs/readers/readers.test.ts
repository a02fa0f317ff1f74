import { expect, it } from 'vitest';
import { fingerprintOf } from '../fingerprint.ts';
import { readClaudeCode } from './claude-code.ts';
import { readHotpotQa } from './hotpot-qa.ts';
import { readLiveMcp } from './live-mcp.ts';
import { readWebAgent } from './web-agent.ts';
import { readWebShop } from './web-shop.ts';

/** Prompts, texts, calls and results, in order. */
function told(events: readonly { readonly type: string; readonly [key: string]: unknown }[]): string[] {
  return events.flatMap(({ type, text, name, args, result }) => {
    if (type === 'tool_call_request') return [`${String(name)} ${JSON.stringify(args)}`];
    if (type === 'tool_result') return [`-> ${String(result)}`];
    return typeof text === 'string' ? [text] : [];
  });
}

const page = (text: string) => [{ type: 'text', text }];

it('web-agent: Browser Use calls several actions in one answer and sees the page after the last', () => {
  const answer = (action: unknown[]) => ({
    tool_calls: [
      {
        function: {
          name: 'AgentOutput',
          arguments: JSON.stringify({ current_state: { memory: 'm', next_goal: 'g' }, action }),
        },
      },
    ],
  });
  const request = (...messages: unknown[]) => [{ type: 'system', content: 'rules' }, ...messages];
  const run = {
    task: { question: 'Find it' },
    steps: [
      {
        llm_calls: [
          {
            messages_in: request(),
            message_out: answer([{ input_text: { index: 2, text: 'a' } }, { click: { index: 3 } }]),
          },
        ],
      },
      {
        llm_calls: [
          {
            messages_in: request(
              { type: 'ai', content: '' },
              { type: 'tool', content: '' },
              { type: 'human', content: 'Action result: clicked' },
              {
                type: 'human',
                content: page('the page\nCurrent step: 2/20Current date and time: 2025-03-26 20:12'),
              },
            ),
            message_out: answer([{ done: { text: 'it' } }]),
          },
        ],
      },
      { llm_calls: [] },
    ],
  };
  expect(told(readWebAgent('s', JSON.stringify(run)))).toEqual([
    'Find it',
    'm\ng',
    'input_text {"index":2,"text":"a"}',
    'click {"index":3}',
    '-> done',
    '-> Action result: clicked\nthe page\n',
    'm\ng',
    'done {"text":"it"}',
  ]);
});

it('web-agent: Proxy Lite calls tools by name, and Notte answers with JSON as text', () => {
  const proxyLite = {
    messages_in: [{ role: 'user', content: page('Task') }],
    message_out: {
      content: '<thinking>t</thinking>',
      tool_calls: [{ function: { name: 'click', arguments: '{"mark_id": 3}' } }],
    },
  };
  const notte = {
    messages_in: [
      { role: 'assistant', content: 'x' },
      { role: 'user', content: 'seen' },
    ],
    message_out: {
      content:
        '```json\n{"state":{"memory":"m","relevant_interactions":[]},"actions":[{"goto":{"url":"u"}}]}\n```',
      tool_calls: null,
    },
  };
  const run = { task: { question: 'q' }, steps: [{ llm_calls: [proxyLite] }, { llm_calls: [notte] }] };
  expect(told(readWebAgent('s', JSON.stringify(run)))).toEqual([
    'q',
    '<thinking>t</thinking>',
    'click {"mark_id":3}',
    '-> seen',
    'm',
    'goto {"url":"u"}',
  ]);
});

it('claude-code: a session file has the session itself and its sub-agents', () => {
  const assistant = (id: string, name: string) => ({
    type: 'assistant',
    uuid: id,
    timestamp: '2026-02-06T08:56:16.015Z',
    message: { id, role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
  });
  const progress = {
    type: 'progress',
    sessionId: 'u',
    data: { type: 'agent_progress', agentId: 'a1', message: assistant('b', 'Grep') },
  };
  const text = [{ ...assistant('a', 'Task'), sessionId: 'u' }, progress]
    .map((record) => JSON.stringify(record))
    .join('\n');
  expect(told(readClaudeCode('s', text, undefined))).toEqual(['Task {}']);
  expect(told(readClaudeCode('s', text, 'a1'))).toEqual(['Grep {}']);
  expect(() => readClaudeCode('s', text, 'a2')).toThrow('no sub-agent a2');
});

it('web-shop: reads the runs that the notebook printed; an unfinished thought is a call', () => {
  const printed = [
    '-----------------\n0\nAction: reset\nObservation: \nWebshop\n\nAction: think[a]\nObservation: OK.\n\n',
    'Action: think[b\nObservation: OK.\n\nAction: click[Buy Now]\nObservation: Invalid action!\n\n',
    '-----------------\n1\nAction: reset\nObservation: \nother\n',
  ];
  const notebook = JSON.stringify({
    cells: [{ source: [] }, { outputs: [{ text: printed.slice(0, 1) }, { text: printed.slice(1) }] }],
  });
  expect(told(readWebShop('s', notebook, '0'))).toEqual([
    'Webshop',
    'a',
    'invalid {"value":"think[b"}',
    '-> OK.',
    'click {"value":"Buy Now"}',
    '-> Invalid action!',
  ]);
  expect(told(readWebShop('s', notebook, '1'))).toEqual(['other']);
  expect(() => readWebShop('s', notebook, '2')).toThrow('no run 2');
});

it('hotpot-qa: finds a run by trial, end and number', () => {
  const run = (question: string) =>
    `Question: ${question}\nThought 1: t\nAction 1: Search[x]\nObservation 1: o\nCorrect answer: c\n\n`;
  const log =
    `BEGIN TRIAL 1\n-- BEGIN CORRECT AGENTS --\n\n${run('a')}-- BEGIN HALTED AGENTS --\n\n${run('b')}${run('c')}` +
    `BEGIN TRIAL 2\n-- BEGIN HALTED AGENTS --\n\n${run('d')}`;
  expect(told(readHotpotQa('s', log, 'trial 1, halted 2'))).toEqual([
    'c',
    't',
    'Search {"value":"x"}',
    '-> o',
  ]);
  expect(() => readHotpotQa('s', log, 'trial 1, halted 3')).toThrow('no run trial 1, halted 3');
});

it('live-mcp: reads the messages of a task', () => {
  const messages = [
    { role: 'user', content: 'q' },
    {
      role: 'assistant',
      content: 'a',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'route', arguments: '{"query":"x"}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ];
  const runs = JSON.stringify([{ task_id: '0e3287cb-c0ff', messages }]);
  const events = readLiveMcp('s', runs, '0e3287cb');
  expect(told(events)).toEqual(['q', 'a', String.raw`route "{\"query\":\"x\"}"`, '-> r']);
  const parsed = events.map((event) =>
    event.type === 'tool_call_request' ? { ...event, args: { query: 'x' } } : event,
  );
  expect(fingerprintOf(events)).toBe(fingerprintOf(parsed));
  expect(() => readLiveMcp('s', runs, 'ffffffff')).toThrow('no task ffffffff');
});
