import { describe, expect, it } from 'vitest';
import { START } from '../verdicts.ts';
import { advised, hookedServer } from './hooked-server.ts';

const { recorded, send } = hookedServer();

describe('the generic hook', () => {
  const args = { path: 'a' };
  const hook = async (event: string, more: object = {}) =>
    (await send('/hooks/generic', { session: 's-1', event, tool: 'read', arguments: args, ...more }))
      .body as { denied: boolean; stop: boolean; guidance: string | null };
  const calls = async (times: number, more: (n: number) => object = () => ({})) => {
    const answers = [];
    for (let n = 0; n < times; n += 1) {
      const before = await hook('before', more(n));
      answers.push(before);
      if (!before.denied) await hook('after', { ...more(n), result: 'not found', isError: true });
    }
    return answers.map(({ denied, stop }) => [denied, stop]);
  };

  it.each([
    ['without ids', () => ({})],
    ['with ids', (n: number) => ({ callId: `c-${String(n)}`, agent: 'coder', parentSession: 's-0' })],
  ])('denies a loop, and ends the turn at the third denial: %s', async (_, more) => {
    const [run, denied, ended] = [
      [false, false],
      [true, false],
      [true, true],
    ];
    expect(await calls(6, more)).toEqual([run, run, run, denied, denied, ended]);
    expect(recorded().map(({ type }) => type)).toEqual(
      Array.from({ length: 6 }, () => ['turn_started', 'tool_call_request', 'tool_result', 'turn_finished'])
        .flat()
        .slice(0, -1),
    );
  });

  it('gives guidance with the result that completes a loop', async () => {
    await calls(2);
    await hook('before');
    const answer = await hook('after', { result: 'not found', isError: true });
    expect(answer).toMatchObject({ denied: false, guidance: expect.stringMatching(advised) });
  });

  it('takes a result whose call was not reported, once', async () => {
    const result = { callId: 'c-1', result: 'text', time: START };
    await hook('after', result);
    await hook('after', result);
    expect(recorded().map(({ type, callId }) => [type, callId])).toEqual([
      ['tool_call_request', 'c-1'],
      ['tool_result', 'c-1'],
    ]);
  });

  it.each([
    ['event', 'during'],
    ['tool', ''],
    ['extra', 1],
  ])('rejects a wrong %s by name', async (field, value) => {
    const body = { session: 's-1', event: 'before', tool: 'read', [field]: value };
    expect(await send('/hooks/generic', body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(field) },
    });
  });
});
