import { TelemetryMemory, Translator } from '@loopwatch/formats';
import { waitFor } from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedSdks, requestsOf, type Scenario } from '../../../formats/test/telemetry/recorded.ts';
import { type RunningServer, type Session, startServer } from './server.ts';

let server: RunningServer;
let url: string;

beforeAll(async () => {
  server = await startServer();
  ({ url } = server);
});

afterAll(() => server[Symbol.asyncDispose]());

/** Sends the requests of a run to the server as its SDK did; returns its session id. */
async function sendRun(name: string, scenario: Scenario): Promise<string | undefined> {
  const translator = new Translator({ format: 'otlp', memory: new TelemetryMemory() });
  let session: string | undefined;
  for (const { path, body, json } of requestsOf(name, scenario)) {
    const headers = { 'content-type': 'application/x-protobuf' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: new Uint8Array(body) });
    expect(response.status).toBe(200);
    const { events } = translator.readValue(JSON.parse(json));
    session ??= events[0]?.sessionId ?? undefined;
  }
  return session;
}

async function sessionWith(id: string | undefined, toolCalls: number, incidents: number): Promise<Session> {
  let sessions: Session[] = [];
  return waitFor(
    async () => {
      const response = await fetch(`${url}/api/v1/sessions?limit=200`);
      ({ items: sessions } = (await response.json()) as { items: Session[] });
      return sessions.find(
        (each) => each.sessionId === id && each.toolCalls >= toolCalls && each.incidents.total >= incidents,
      );
    },
    { describe: () => `session ${String(id)}; there are ${JSON.stringify(sessions)}` },
  );
}

describe.each(recordedSdks)('$sdk by $telemetry, as recorded', ({ name, hasContent = true, calls = {} }) => {
  it.each([
    ['loop', hasContent ? 1 : 0],
    ['healthy', 0],
  ] as const)('%s: the server counts each call once, and finds %i loops', async (scenario, total) => {
    const id = await sendRun(name, scenario);
    const toolCalls = calls[scenario] ?? 5;
    expect(await sessionWith(id, toolCalls, total)).toMatchObject({ toolCalls, incidents: { total } });
  });
});
