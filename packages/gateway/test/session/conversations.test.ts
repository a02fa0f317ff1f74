import { detectionSchema } from '@loopwatch/contract';
import { detectionOf } from '@loopwatch/detectors';
import { WideSettings } from '@loopwatch/pipeline';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Item, ToolCall } from '../../src/api/conversation.ts';
import {
  Conversations,
  type ConversationsOptions,
  type CreateSession,
} from '../../src/session/conversations.ts';
import { GatewaySession } from '../../src/session/gateway-session.ts';
import { History } from '../../src/session/history.ts';
import { SessionSettings } from '../../src/session/session-settings.ts';
import { SessionStore } from '../../src/session/session-store.ts';

const labels = { model: null, backend: 'test' };
const name = { name: 'shared', isOne: false, settingsName: null };
const ignored = () => undefined;
const observer = {
  seen: ignored,
  concluded: ignored,
  settingsChanged: ignored,
  turnRequest: ignored,
  fault: (_id: string, error: unknown) => {
    throw error;
  },
};

/** Sessions in memory, without a server. */
function conversations(
  maxSessions: number,
  {
    ownSettings = new SessionSettings(10),
    logger = pino({ level: 'silent' }),
  }: Partial<Pick<ConversationsOptions, 'ownSettings' | 'logger'>> = {},
): Conversations {
  const settings = new WideSettings({
    configured: detectionSchema.parse({ preset: 'proxy', privacy: { mask: ['cust-[0-9]+'] } }),
    prepare: (detection) => detectionOf(detection),
    log: ignored,
    onSession: ignored,
  });
  const create: CreateSession = (id, { version = settings.current, name: shared } = {}) =>
    new GatewaySession(id, version, observer, { origin: 'test', stores: false, name: shared });
  return new Conversations({
    sessions: new SessionStore(maxSessions, ignored),
    create,
    settings,
    storage: undefined,
    ownSettings,
    logger,
    now: () => 0,
  });
}

/** What an agent does next: asks and gets a call, asks and loses the answer, or has a new request. */
type Step = { readonly agent: number } & (
  | { readonly does: 'call' | 'lose'; readonly path: string }
  | { readonly does: 'prompt' }
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ agent: fc.nat(2), does: fc.constant('call' as const), path: path() }),
  },
  { weight: 2, arbitrary: fc.record({ agent: fc.nat(2), does: fc.constant('lose' as const), path: path() }) },
  { weight: 1, arbitrary: fc.record({ agent: fc.nat(2), does: fc.constant('prompt' as const) }) },
);
function path(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'a', 'a', 'b');
}

/** How many equal calls stand at the end of the prompt at hand. */
function runAt(items: readonly Item[], path: string): number {
  const paths = items
    .slice(items.findLastIndex(({ role }) => role === 'user') + 1)
    .flatMap((item) => (item.role === 'assistant' ? item.calls : []))
    .map(({ args }) => (typeof args === 'string' ? '' : args['path']));
  return paths.length - 1 - paths.findLastIndex((other) => other !== path);
}

it.each<[string, 'own' | 'same' | 'none', number]>([
  ['ids of their own', 'own', 100],
  ['ids that are the same for all', 'same', 100],
  ['no ids', 'none', 100],
  ['ids of their own, and room for two of them', 'own', 2],
])(
  'conversations that begin alike are stopped at what their own history shows, and at nothing else: %s',
  (_, ids, room) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const found = conversations(room);
        const histories: Item[][] = [0, 1, 2].map(() => [{ role: 'user', text: 'Go' }]);
        let n = 0;
        for (const { agent, ...next } of steps) {
          const items = histories[agent] ?? [];
          if (next.does === 'prompt') {
            items.push({ role: 'assistant', text: 'Done.', calls: [] }, { role: 'user', text: 'Go' });
            continue;
          }
          const history = new History({ items, previous: null, keepsHistory: false });
          const session = found.find(name, history);
          session.ask(history, items, labels, 0);
          n += 1;
          const id = { own: `call-${String(n)}`, same: 'call', none: null }[ids];
          const call: ToolCall = { id, name: 'read', args: { path: next.path } };
          const stopped = session.called(call, 0) !== undefined;
          expect(stopped).toBe(runAt(items, next.path) >= 3);
          session.answered({ usage: null, finishReason: null }, 0);
          if (next.does === 'lose') session.lost();
          else if (stopped) {
            session.noteOwn({ id: 'x', text: 'Stopped', stop: 'error', details: {} });
            items.push({ role: 'assistant', text: 'Stopped', calls: [] });
          } else
            items.push(
              { role: 'assistant', text: '', calls: [call] },
              { role: 'result', callId: id, result: 'ok' },
            );
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  },
);

it('refused settings of a session are told of without secrets', () => {
  const lines: string[] = [];
  const ownSettings = new SessionSettings(10);
  const found = conversations(10, { ownSettings, logger: pino({}, { write: (line) => lines.push(line) }) });
  ownSettings.note(name.name, { preset: `ghp_${'a1B2c3D4'.repeat(4)} of cust-123456` });
  found.find(
    name,
    new History({ items: [{ role: 'user', text: 'Go' }], previous: null, keepsHistory: false }),
  );
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      msg: expect.stringMatching(
        /^Settings of session \S+ are refused: preset .*‹masked› of ‹masked›/,
      ) as string,
    }),
  ]);
});
