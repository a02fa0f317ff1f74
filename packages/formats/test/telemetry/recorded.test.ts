import type { AgentEvent } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { TelemetryMemory, Translator } from '../../src/index.ts';
import { recordedSdks, recordsThoughts, requestsOf, type Scenario, thought } from './recorded.ts';

/*
 * What SDKs really export: `tools/recordings` runs their agents against a scripted model. Each agent reads a file five times:
 * the same one, a missing one, or five different ones, the last two at once.
 */

const CALLS = 5;
const TEXTS = ['a', 'b', 'c', 'd', 'e'].map((name) => `the text of ${name}.md`);

type Signal = { readonly endTimeUnixNano?: string; readonly timeUnixNano?: string };
type Scope = { readonly spans?: readonly Signal[]; readonly logRecords?: readonly Signal[] };
type Resource = { readonly scopeSpans?: readonly Scope[]; readonly scopeLogs?: readonly Scope[] };
type ExportRequest = {
  readonly resourceSpans?: readonly Resource[];
  readonly resourceLogs?: readonly Resource[];
};

/** Requests of one span or log record each, in the order in which they end. */
function oneByOne(requests: readonly ExportRequest[]): ExportRequest[] {
  const spans = requests.flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap((resource) =>
      (resource.scopeSpans ?? []).flatMap((scope) =>
        (scope.spans ?? []).map((span) => ({
          end: BigInt(span.endTimeUnixNano ?? 0),
          request: { resourceSpans: [{ ...resource, scopeSpans: [{ ...scope, spans: [span] }] }] },
        })),
      ),
    ),
  );
  const logs = requests.flatMap(({ resourceLogs = [] }) =>
    resourceLogs.flatMap((resource) =>
      (resource.scopeLogs ?? []).flatMap((scope) =>
        (scope.logRecords ?? []).map((log) => ({
          end: BigInt(log.timeUnixNano ?? 0),
          request: { resourceLogs: [{ ...resource, scopeLogs: [{ ...scope, logRecords: [log] }] }] },
        })),
      ),
    ),
  );
  return [...spans, ...logs].toSorted((a, b) => Number(a.end - b.end)).map(({ request }) => request);
}

/**
 * The events of a run: as exported, in a file, or one signal by one as they end, on a topic; an event that is repeated counts
 * once.
 */
function eventsOf(name: string, scenario: Scenario, isOneByOne = false): AgentEvent[] {
  const requests = requestsOf(name, scenario).map(({ json }) => JSON.parse(json) as ExportRequest);
  const memory = isOneByOne ? new TelemetryMemory() : undefined;
  const translator = new Translator({ format: 'otlp', memory });
  const read = (isOneByOne ? oneByOne(requests) : requests).map((request) => translator.readValue(request));
  expect(read.flatMap(({ faults }) => faults)).toEqual([]);
  const known = new Set<unknown>();
  const all = [...read.flatMap(({ events }) => events), ...translator.end()];
  return all.filter(({ id }) => !known.has(id) && known.add(id));
}

const ofType = (events: readonly AgentEvent[], type: string) => events.filter((event) => event.type === type);

function verdictsOf(events: readonly AgentEvent[]): string[] {
  const analyzer = createSessionAnalyzer();
  return events
    .flatMap((event) => analyzer.push(event))
    .filter(({ phase }) => phase === 'opened')
    .map(({ detector, count }) => `${detector} ${String(count)}`);
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

const cases = recordedSdks.flatMap((sdk) =>
  [false, true].map((isOneByOne) => ({
    ...sdk,
    isOneByOne,
    title: `${sdk.sdk} by ${sdk.telemetry}${isOneByOne ? ', one span at a time' : ''}`,
  })),
);

describe.each(cases)(
  '$title',
  ({
    name,
    isOneByOne,
    hasContent = true,
    hasOneSpan = false,
    failing,
    thoughts,
    calls = {},
    results = {},
  }) => {
    it.each(['loop', 'failing', 'healthy'] as const)(
      '%s: the session has exactly the calls made',
      (scenario) => {
        const events = eventsOf(name, scenario, isOneByOne);
        const made = ofType(events, 'tool_call_request');
        expect(new Set(events.map(({ sessionId }) => sessionId)).size).toBe(1);
        expect(made).toHaveLength(calls[scenario] ?? CALLS);
        const answered = ofType(events, 'tool_result').map(({ callId }) => callId);
        const known = new Set(made.map(({ callId }) => callId));
        expect(answered.filter((callId) => !known.has(callId))).toEqual([]);
        expect(new Set(answered).size).toBe(answered.length);
        if (hasContent) expect(answered).toHaveLength(results[scenario] ?? CALLS);
      },
    );

    if (!hasContent) {
      it('tells no calls apart whose arguments it does not know', () => {
        for (const scenario of ['loop', 'healthy'] as const)
          expect(verdictsOf(eventsOf(name, scenario, isOneByOne))).toEqual([]);
        const found = verdictsOf(eventsOf(name, 'failing', isOneByOne));
        expect(found).toEqual(failing === undefined ? [] : [`${failing} 5`]);
      });
      return;
    }

    it('finds the loop where our own events have it, also if it fails', () => {
      for (const scenario of ['loop', 'failing'] as const) {
        // At the third identical call; without results, at the fourth.
        const count = results[scenario] === 0 ? 4 : 3;
        expect(verdictsOf(eventsOf(name, scenario, isOneByOne))).toEqual([`tool-repeat ${String(count)}`]);
      }
    });

    it('is quiet about a healthy run, and reads its results', () => {
      const events = eventsOf(name, 'healthy', isOneByOne);
      expect(verdictsOf(events)).toEqual([]);
      if (results.healthy === 0) return;
      const read = ofType(events, 'tool_result').map(({ result }) => textOf(result));
      for (const text of TEXTS) expect(read.filter((one) => one.includes(text))).toHaveLength(1);
    });

    it('reads what the model thinks in each response, if it is recorded', () => {
      const type = thoughts === 'as text' ? 'content' : 'thought';
      const read = ofType(eventsOf(name, 'healthy', isOneByOne), type).map(({ text }) => textOf(text));
      const found = read.filter((text) => text.search(thought) >= 0);
      expect(new Set(found).size).toBe(found.length);
      const isRead = recordsThoughts(name) && thoughts !== 'not read';
      expect(found).toHaveLength(isRead ? TEXTS.length : 0);
    });

    it('counts each response of the model once, and its tokens', () => {
      const turns = ofType(eventsOf(name, 'healthy', isOneByOne), 'turn_finished');
      const usages = turns.map(({ usage }) => usage);
      const expected = TEXTS.map(() => ({ inputTokens: 20, outputTokens: 5 }));
      if (hasOneSpan) expect(usages.filter(Boolean)).toMatchObject(expected.slice(0, 1));
      else expect(usages).toMatchObject(expected);
    });
  },
);
