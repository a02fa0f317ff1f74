import { detectionSchema } from '@loopwatch/contract';
import { detectionOf, LiveSettings } from '@loopwatch/detectors/internal';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Item, ToolCall } from '../../src/api/conversation.ts';
import {
  type CreateSession,
  SessionLookup,
  type SessionLookupOptions,
} from '../../src/proxy/session-lookup.ts';
import { GatewaySession } from '../../src/session/gateway-session.ts';
import { History } from '../../src/session/history.ts';
import { SessionSettings } from '../../src/session/session-settings.ts';
import { SessionStore } from '../../src/session/session-store.ts';
import { completed } from '../steps.ts';

const labels = { model: null, backend: 'test' };
const name = { name: 'shared', isOne: false, settingsName: null, caller: null };
const ignored = () => undefined;
const observer = {
  onEvent: ignored,
  onVerdicts: ignored,
  onSettingsChanged: ignored,
  onTurnRequest: ignored,
  onFault: (_id: string, error: unknown) => {
    throw error;
  },
};

/** Sessions in memory, without a server. */
function lookup(
  maxSessions: number,
  {
    sessionSettings = new SessionSettings(10),
    logger = pino({ level: 'silent' }),
  }: Partial<Pick<SessionLookupOptions, 'sessionSettings' | 'logger'>> = {},
): SessionLookup {
  const settings = new LiveSettings({
    configured: detectionSchema.parse({ preset: 'proxy', privacy: { mask: ['cust-[0-9]+'] } }),
    prepare: (detection) => detectionOf(detection),
    log: ignored,
    onSession: ignored,
  });
  const create: CreateSession = (id, name, onCall) =>
    new GatewaySession(id, settings.current, observer, {
      origin: 'test',
      storesMessages: false,
      name,
      onCall,
    });
  return new SessionLookup({
    sessions: new SessionStore(maxSessions, ignored),
    create,
    settings,
    storage: undefined,
    sessionSettings,
    logger,
    now: () => 0,
  });
}

/** An agent's next step: a request that gets a call, a request whose reply is lost, or a new prompt. */
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

/** Number of equal calls at the end of the current prompt. */
function runAt(items: readonly Item[], path: string): number {
  const paths = items
    .slice(items.findLastIndex(({ role }) => role === 'user') + 1)
    .flatMap((item) => (item.role === 'assistant' ? item.calls : []))
    .map(({ args }) => (typeof args === 'string' ? '' : args['path']));
  return paths.length - 1 - paths.findLastIndex((other) => other !== path);
}

it.each<[string, 'own' | 'same' | 'none', number, string[]?]>([
  ['ids of their own', 'own', 100],
  ['identical ids', 'same', 100],
  ['no ids', 'none', 100],
  ['ids of their own, two sessions in memory', 'own', 2],
  ['ids of their own, names of their own', 'own', 100, ['a', 'b', 'c']],
  ['identical ids, names of their own', 'same', 100, ['a', 'b', 'c']],
  ['no ids, names of their own', 'none', 100, ['a', 'b', 'c']],
  ['ids of their own, names of their own, two sessions in memory', 'own', 2, ['a', 'b', 'c']],
])(
  'session lookup: conversations with the same start are blocked only by their own history: %s',
  (_, ids, room, names) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const sessions = lookup(room);
        const histories: Item[][] = [0, 1, 2].map(() => [{ role: 'user', text: 'Go' }]);
        let n = 0;
        for (const { agent, ...next } of steps) {
          const items = histories[agent] ?? [];
          if (next.does === 'prompt') {
            items.push({ role: 'assistant', text: 'Done.', calls: [] }, { role: 'user', text: 'Go' });
            continue;
          }
          const history = new History({ items, previous: null, keepsHistory: false });
          const named = { ...name, name: names?.[agent] ?? name.name, caller: 'key' };
          const session = sessions.find(named, history);
          completed(session.onRequest(history, items, labels, 0));
          n += 1;
          const id = { own: `call-${String(n)}x`, same: 'call', none: null }[ids];
          const call: ToolCall = { id, name: 'read', args: { path: next.path } };
          const stopped = session.onToolCall(call, 0) !== undefined;
          expect(stopped).toBe(runAt(items, next.path) >= 3);
          session.onReplyEnd({ usage: null, finishReason: null }, 0);
          if (next.does === 'lose') session.onReplyLost();
          else if (stopped) {
            session.onSyntheticReply({ id: 'x', text: 'Stopped', stop: 'error', details: {} });
            items.push({ role: 'assistant', text: 'Stopped', calls: [] });
          } else
            items.push(
              { role: 'assistant', text: '', calls: [call] },
              { role: 'result', callId: id, result: 'ok' },
            );
        }
      }),
      { seed: 7, numRuns: 150 },
    );
  },
);

/** The history of a client that has cut it behind a first message which changes, with the last call. */
const cut = (call: ToolCall) =>
  new History({
    items: [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: '', calls: [call] },
      { role: 'result', callId: call.id, result: 'ok' },
    ],
    previous: null,
    keepsHistory: false,
  });
const start = new History({ items: [{ role: 'user', text: 'Go' }], previous: null, keepsHistory: false });
const readCall = (id: string | null, path = 'a'): ToolCall => ({ id, name: 'read', args: { path } });

it.each<[string, boolean, { by?: string; id?: string | null; args?: string; others?: readonly string[] }]>([
  ['the call that was made', true, {}],
  ['the call of another key', false, { by: 'other' }],
  ['the call with other arguments', false, { args: 'b' }],
  ['a call with another id', false, { id: 'call_9f3a71b2' }],
  ['a call without an id', false, { id: null }],
  ['a call that two sessions made', false, { others: ['key'] }],
  ['a call that a session of another key made too', true, { others: ['other'] }],
])(
  'session lookup: a request under another name that shows %s goes on: %s',
  (_, goesOn, { by, id, args, others }) => {
    const sessions = lookup(10);
    const made = readCall('call_77aa01bc');
    for (const [i, caller] of ['key', ...(others ?? [])].entries()) {
      const session = sessions.find({ ...name, name: `name-${String(i)}`, caller }, start);
      completed(session.onRequest(start, [], labels, 0));
      session.onToolCall(made, 0);
      session.onReplyEnd({ usage: null, finishReason: null }, 0);
    }
    const history = cut(readCall(id === undefined ? made.id : id, args));
    const found = sessions.find({ ...name, name: 'changed', caller: by ?? 'key' }, history);
    expect(found.id).toBe(goesOn ? 'name-0' : 'changed');
  },
);

it('session lookup: rejected session settings are logged without secrets', () => {
  const lines: string[] = [];
  const sessionSettings = new SessionSettings(10);
  const sessions = lookup(10, { sessionSettings, logger: pino({}, { write: (line) => lines.push(line) }) });
  sessionSettings.set(name.name, { preset: `ghp_${'a1B2c3D4'.repeat(4)} of cust-123456` });
  sessions.find(
    name,
    new History({ items: [{ role: 'user', text: 'Go' }], previous: null, keepsHistory: false }),
  );
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      msg: expect.stringMatching(
        /^Rejected settings of session \S+: preset .*‹masked› of ‹masked›/,
      ) as string,
    }),
  ]);
});
