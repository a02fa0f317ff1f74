import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayBench } from '../harness.ts';
import type { ClientApi, ClientCase, ClientOutcome } from './client-case.ts';
import { modelOf as askedModel, scriptedModel } from './scripted-model.ts';

/** An official client, and what runs an agent of it. */
export interface Client {
  readonly name: string;
  readonly apis: readonly ClientApi[];
  /** Whether it rejects the finish reasons that are not in OpenAI's schema, `error` and `max_turn_requests`. */
  readonly isStrict?: boolean;
  readonly run: (cases: readonly ClientCase[]) => Promise<readonly ClientOutcome[]>;
}

const gateways = {
  'preset proxy': { preset: 'proxy' },
  'preset proxy, on_block message': { preset: 'proxy', 'gateway.on_block': 'message' },
  'preset balanced': { preset: 'balanced' },
  'preset balanced, on_block error': { preset: 'balanced', 'gateway.on_block': 'error' },
  'mode chance_then_block': { preset: 'proxy', 'tool_call_loop.mode': 'chance_then_block' },
  'two model requests at most': { preset: 'proxy', 'turn_requests.max_turn_requests': 2 },
} as const;
type GatewayName = keyof typeof gateways;

interface Run {
  readonly gateway: GatewayName;
  /** What the model does, see `scripted-model.ts`. */
  readonly model: 'loops' | 'finishes' | 'recovers';
  readonly title: string;
  /** How often the agent ran its tool, and how often the model was asked. */
  readonly calls: number;
  readonly asked: number;
  readonly text: RegExp;
  /** Whether the answer over Chat ends with a finish reason that is not in OpenAI's schema. */
  readonly hasOwnReason?: boolean;
}

const stopped = /Tool call loop detected: 'get_weather' invoked with identical params \d times/;
const answered = /^Rome is warmer\.$/;
const stops = 'is stopped at a loop, and its user sees the reason';
const finishes = 'finishes with its answer if nothing loops';
const runs: readonly Run[] = [
  {
    gateway: 'preset proxy',
    model: 'loops',
    title: stops,
    calls: 3,
    asked: 4,
    text: stopped,
    hasOwnReason: true,
  },
  { gateway: 'preset proxy', model: 'finishes', title: finishes, calls: 2, asked: 3, text: answered },
  {
    gateway: 'preset proxy, on_block message',
    model: 'loops',
    title: stops,
    calls: 3,
    asked: 4,
    text: stopped,
  },
  // The third result that is the same earns a chance, in that result; the call that goes on does not run, and the model is asked again.
  { gateway: 'preset balanced', model: 'loops', title: stops, calls: 3, asked: 5, text: stopped },
  { gateway: 'preset balanced', model: 'finishes', title: finishes, calls: 2, asked: 3, text: answered },
  {
    gateway: 'preset balanced, on_block error',
    model: 'loops',
    title: stops,
    calls: 3,
    asked: 5,
    text: stopped,
    hasOwnReason: true,
  },
  {
    gateway: 'mode chance_then_block',
    model: 'recovers',
    title: 'continues with the second reply after a chance',
    calls: 4,
    asked: 6,
    text: answered,
  },
  {
    gateway: 'mode chance_then_block',
    model: 'loops',
    title: 'is stopped if the second reply continues the loop',
    calls: 3,
    asked: 5,
    text: stopped,
    hasOwnReason: true,
  },
  {
    gateway: 'two model requests at most',
    model: 'finishes',
    title: 'is stopped at the limit of model requests',
    calls: 2,
    asked: 2,
    text: /^The limit of 2 model requests for one/,
    hasOwnReason: true,
  },
];

/** Tests that an agent of each client is stopped, or left alone, without an error, over each API, streamed and not. */
export function describeClients(clients: readonly Client[]): void {
  const open = new Map<GatewayName, GatewayBench>();
  beforeAll(async () => {
    for (const [name, flags] of Object.entries(gateways))
      open.set(name as GatewayName, await GatewayBench.start(scriptedModel(), flags));
  });
  afterAll(async () => {
    for (const bench of open.values()) await bench[Symbol.asyncDispose]();
  });

  describe.each(clients)('$name', ({ name, apis, isStrict = false, run }) => {
    const outcomes = new Map<string, ClientOutcome>();
    const given = [...runs.entries()].filter(([, { hasOwnReason = false }]) => !(isStrict && hasOwnReason));
    const ways = apis.flatMap((api) => [false, true].map((stream) => ({ api, stream })));
    const idOf = (at: number, api: ClientApi, stream: boolean) =>
      `${name.replaceAll(/\W+/g, '-')}-${api}-${stream ? 'stream' : 'whole'}-${String(at)}`;
    const modelOf = (at: number, api: ClientApi, stream: boolean) =>
      `${runs[at]?.model ?? ''}-${idOf(at, api, stream)}`;

    beforeAll(async () => {
      const cases = ways.flatMap(({ api, stream }) =>
        given.map(([at, { gateway }]) => ({
          id: idOf(at, api, stream),
          url: open.get(gateway)?.url ?? '',
          model: modelOf(at, api, stream),
          api,
          stream,
        })),
      );
      for (const outcome of await run(cases)) outcomes.set(outcome.id, outcome);
    });

    describe.each(ways)('over $api, streamed: $stream', ({ api, stream }) => {
      it.each(given.map(([at, each]) => ({ ...each, at })))(
        '$gateway: $title',
        ({ at, gateway, calls, asked, text }) => {
          const outcome = outcomes.get(idOf(at, api, stream));
          expect(outcome).toMatchObject({ error: null, calls });
          expect(outcome?.text).toMatch(text);
          const model = modelOf(at, api, stream);
          const requests = open
            .get(gateway)
            ?.upstream.requests.filter((request) => askedModel(request) === model);
          expect(requests).toHaveLength(asked);
        },
      );
    });
  });
}
