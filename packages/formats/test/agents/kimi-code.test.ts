import { describe, expect, it } from 'vitest';
import { outline, readAll } from '../read-all.ts';

/** Records as `@moonshot-ai/kimi-code` 2.1 writes them, shortened. */
const record = (type: string, more: object) => ({ type, agentId: 'main', ...more, time: 1_795_954_923_000 });
const message = (text: string, origin: object, more: object = {}) =>
  record('context.append_message', {
    message: { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin },
    ...more,
  });
const step = (type: string, event: object) =>
  record('context.append_loop_event', { event: { type, turnId: '0', step: 7, ...event } });
const call = (uuid: string, toolCallId: string, name: string, args: object) =>
  step('tool.call', { uuid, stepUuid: 's7', toolCallId, name, args, display: { kind: 'command' } });
const result = (parentUuid: string, toolCallId: string, output: unknown, more: object = {}) =>
  step('tool.result', { parentUuid, toolCallId, result: { output, note: '<system>', ...more } });
const usage = { inputOther: 1200, output: 27, inputCacheRead: 500, inputCacheCreation: 0 };
const bind = record('profile.bind', { modelAlias: 'k2', environmentDisclosure: { cwd: '/home/me/proj' } });

describe('Kimi Code', () => {
  it('reads a step with parallel calls once, in its turn, with its model, tokens and project', () => {
    const { events, ignored } = readAll('auto', [
      { type: 'metadata', protocol_version: '1.5', created_at: 1 },
      bind,
      record('turn.prompt', { input: [{ type: 'text', text: 'Look.' }], origin: { kind: 'user' } }),
      message('Look.', { kind: 'user' }),
      message('<system-reminder>Auto.</system-reminder>', { kind: 'injection', variant: 'permission_mode' }),
      step('step.begin', { uuid: 's7' }),
      record('llm.request', { kind: 'loop', model: 'kimi-k2.5', modelAlias: 'k2' }),
      record('usage.record', { model: 'k2', usage, usageScope: 'turn' }),
      step('content.part', { uuid: 't', part: { type: 'think', think: 'Two.' } }),
      step('content.part', { uuid: 'p', part: { type: 'text', text: 'Two at once.' } }),
      call('u7', 'call_7', 'Bash', { command: 'ls -1' }),
      call('u8', 'call_8', 'Read', { path: 'nope.txt' }),
      result('u7', 'call_7', [{ type: 'text', text: 'a.txt' }]),
      result('u8', 'call_8', '"nope.txt" does not exist.', { isError: true }),
      step('step.end', { uuid: 's7', finishReason: 'tool_use', usage }),
      { type: 'agent.message.appended', message: { message: { role: 'tool' } }, time: 1, kind: 'event' },
      record('forked', {}),
      step('step.new', {}),
      step('content.part', { uuid: 'i', part: { type: 'image_url', imageUrl: { url: 'blobref:x' } } }),
    ]);
    expect(outline(events)).toEqual([
      'prompt_started Look.',
      'prompt_started <system-reminder>Auto.</system-reminder>',
      'turn_started',
      'thought Two.',
      'content Two at once.',
      'tool_call_request Bash',
      'tool_call_request Read',
      'tool_result a.txt',
      'tool_result "nope.txt" does not exist.',
      'turn_finished',
    ]);
    expect(events.map(({ origin }) => origin).slice(0, 2)).toEqual([undefined, 'harness']);
    expect(events[5]).toMatchObject({ callId: 'call_7', args: { command: 'ls -1' }, model: 'kimi-k2.5' });
    expect(events.slice(7, 9).map(({ callId, isError }) => [callId, isError])).toEqual([
      ['call_7', undefined],
      ['call_8', true],
    ]);
    expect(events.at(-1)).toMatchObject({
      usage: { inputTokens: 1700, outputTokens: 27, cachedInputTokens: 500, cacheWriteTokens: 0 },
    });
    for (const event of events)
      expect(event).toMatchObject({
        sessionId: 'file',
        agent: 'kimi-code',
        tags: { project: 'proj' },
        time: 1_795_954_923_000,
      });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(ignored).toEqual([
      'metadata',
      'profile.bind',
      'turn.prompt',
      'llm.request',
      'usage.record',
      'agent.message.appended',
      'forked',
      'context.append_loop_event (step.new)',
      'context.append_loop_event (content.part)',
    ]);
  });

  it('reads the tokens of a request that is no step, such as for a summary', () => {
    const { events } = readAll('kimi-code', [
      record('llm.request', { kind: 'compaction', model: 'kimi-k2.5' }),
      record('usage.record', { model: 'k2', usage, usageScope: 'session' }),
    ]);
    expect(events).toMatchObject([{ type: 'turn_finished', usage: { inputTokens: 1700, outputTokens: 27 } }]);
  });

  it.each([
    ['of the file', 's/agent-0', undefined],
    ['of the file and of the record', 's/agent-0', 'agent-0'],
    ['of the record', 's', 'agent-0'],
  ])('reads a sub-agent as a session by the name %s, and its task as a prompt', (_, session, agentId) => {
    const task = message('Say it.', { kind: 'system_trigger', name: 'subagent' }, { agentId });
    expect(readAll('auto', [task], session).events).toMatchObject([
      { type: 'prompt_started', text: 'Say it.', sessionId: 's/agent-0', parentSessionId: 's' },
    ]);
    expect(readAll('auto', [task], session).events[0]).not.toMatchObject({ origin: 'harness' });
  });

  it('reads the version 0.10, whose calls have the same ids in all sessions, without a name of the model', () => {
    const read = (stepId: string) =>
      readAll('auto', [
        { type: 'metadata', protocol_version: '1.3', created_at: 1, app_version: '0.10.0' },
        { type: 'config.update', cwd: '/w/proj', modelAlias: 'k2', time: 1_795_955_195_930 },
        step('step.begin', { uuid: stepId }),
        step('tool.call', { uuid: 'Read:0', toolCallId: 'Read:0', name: 'Read', args: {} }),
        result('Read:0', 'Read:0', '1\thello'),
      ]).events;
    const [one, other] = [read('s1'), read('s2')];
    expect(one[1]).toMatchObject({ agentVersion: '0.10.0', model: 'k2', tags: { project: 'proj' } });
    expect(new Set([...one, ...other].map(({ id }) => id)).size).toBe(6);
    expect(read('s1')).toEqual(one);
  });

  it('reads the messages that were imported from Kimi CLI', () => {
    const imported = (role: string, more: object) => ({
      type: 'context.append_message',
      message: { role, content: [], toolCalls: [], ...more },
    });
    const { events } = readAll('auto', [
      { type: 'metadata', protocol_version: '1.0', created_at: 1 },
      imported('user', { content: [{ type: 'text', text: 'Look.' }] }),
      imported('assistant', {
        toolCalls: [
          { type: 'function', id: 'Read:0', function: { name: 'Read', arguments: '{"path":"a"}' } },
        ],
      }),
      imported('tool', { toolCallId: 'Read:0', content: [{ type: 'text', text: 'hello' }] }),
    ]);
    expect(outline(events)).toEqual([
      'prompt_started Look.',
      'turn_started',
      'tool_call_request Read',
      'turn_finished',
      'tool_result hello',
    ]);
    expect(events.slice(2)).toMatchObject([
      { args: '{"path":"a"}', callId: 'Read:0' },
      {},
      { callId: 'Read:0' },
    ]);
  });
});
