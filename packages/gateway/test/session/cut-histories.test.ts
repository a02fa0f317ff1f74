import { modelReply } from '@loopwatch/testkit';
import { describe, expect, it } from 'vitest';
import { type ApiAgent, apiCases } from '../api-agents.ts';
import { GatewayBench, type Script } from '../harness.ts';

/** A model that always makes the same call, with an id of its own. */
const ownIds: Script = (request, i) =>
  modelReply(request, {
    calls: [{ name: 'read_file', args: { path: 'a' }, id: `call_Xq7${String(i)}vTzR` }],
  });
/** A model that numbers the calls of each answer; Gemini has no ids. */
const noIds: Script = (request) => {
  const id = request.path.includes('enerateContent') ? {} : { id: 'call_0' };
  return modelReply(request, { calls: [{ name: 'read_file', args: { path: 'a' }, ...id }] });
};

const changing = (turn: number) => `Day ${String(turn)}: fix it`;
const fixed = () => 'Fix it';

/** Runs a client that keeps the last call with its result, behind a first message. @returns the number of calls it got each time */
async function runCut(agent: ApiAgent, turns: number, first: (turn: number) => string): Promise<number[]> {
  const got: number[] = [];
  for (let i = 0; i < turns; i += 1) {
    agent.cut(first(i), got.at(-1) === 0 ? 1 : 0);
    got.push((await agent.turn()).calls.length);
  }
  return got;
}

const cases = apiCases.filter(({ name }) => !name.includes('each other'));

describe.each(cases.flatMap((api) => [false, true].map((stream) => ({ ...api, api: api.name, stream }))))(
  'a cut history behind a message that changes, $api (streamed: $stream)',
  ({ agent, stream }) => {
    it.each([
      ['ids of their own', 'proxy', ownIds, 3],
      ['ids of their own', 'balanced', ownIds, 4],
      ['ids that say nothing', 'proxy', noIds, 9],
      ['ids that say nothing', 'balanced', noIds, 10],
    ])(
      'a cut history behind a message that changes: its loop ends, with %s (preset %s)',
      async (_, preset, model, calls) => {
        await using bench = await GatewayBench.start(model, { preset, 'tool_call_loop.mode': 'break' });
        const got = await runCut(agent(bench, stream, null, 'Fix it'), calls + 6, changing);
        expect(got).toEqual([...Array<number>(calls).fill(1), 0, 0, 0, 0, 0, 0]);
      },
    );
  },
);

describe.each(cases)('a cut history whose calls have ids that say nothing, $name', ({ agent }) => {
  it.each([
    ['a named session', 'S', 'a message that changes', changing, 4],
    ['a named session', 'S', 'the same message', fixed, 4],
    ['an unnamed session', null, 'the same message', fixed, 11],
  ])(
    'a cut history whose calls have ids that say nothing: its results count in %s (%s), behind %s',
    async (_, session, _first, first, calls) => {
      const settings = { preset: 'balanced', 'tool_call_loop.mode': 'break' };
      await using bench = await GatewayBench.start(noIds, settings);
      const got = await runCut(agent(bench, false, session, 'Fix it'), calls + 6, first);
      expect(got).toEqual([...Array<number>(calls).fill(1), 0, 0, 0, 0, 0, 0]);
    },
  );
});
