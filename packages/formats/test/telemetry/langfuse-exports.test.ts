import type { AgentEvent } from '@loopwatch/contract';
import { createSessionAnalyzer } from '@loopwatch/detectors';
import { describe, expect, it } from 'vitest';
import { readAll } from '../read-all.ts';
import { requestsOf, type Scenario } from './recorded.ts';

/*
 * What Langfuse exports of a run, from what its callback for LangChain sent of it: Langfuse stores inputs and outputs as they
 * come. The fields are those of its Observations API v2 (`fern/apis/server/definition/observations.yml`), of `Download JSON`
 * (`web/src/features/traces/fns/downloadTrace.ts`) and of the blob storage export
 * (langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields).
 */

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string>>;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

interface ExportRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

/** The observations of a run, as the API has them. */
function observationsOf(scenario: Scenario): Record<string, unknown>[] {
  return requestsOf('langgraph-langfuse', scenario)
    .flatMap(({ json }) => (JSON.parse(json) as ExportRequest).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => {
      const given = Object.fromEntries(
        span.attributes.map(({ key, value }) => [key, Object.values(value)[0]] as const),
      );
      const of = (name: string) => given[`langfuse.observation.${name}`];
      return {
        id: span.spanId,
        traceId: span.traceId,
        parentObservationId: span.parentSpanId ?? null,
        startTime: new Date(Number(span.startTimeUnixNano) / 1e6).toISOString(),
        type: of('type')?.toUpperCase(),
        name: span.name,
        level: of('level') ?? 'DEFAULT',
        sessionId: given['session.id'],
        input: of('input') ?? null,
        output: of('output') ?? null,
        providedModelName: of('model.name') ?? null,
        usageDetails: JSON.parse(of('usage_details') ?? '{}') as unknown,
      };
    });
}

const snakeOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Observations = readonly Record<string, unknown>[];

/** What each export has, the newest first. */
const exports: Readonly<Record<string, (observations: Observations) => object[]>> = {
  'the Observations API v2': (observations) => [{ data: observations, meta: { cursor: 'x' } }],
  'a downloaded trace': (observations) => [
    {
      trace: { id: observations[0]?.['traceId'], projectId: 'p', sessionId: observations[0]?.['sessionId'] },
      observations: observations.map(({ sessionId, ...rest }) => rest),
    },
  ],
  'the blob storage export': (observations) =>
    observations.map((one) =>
      Object.fromEntries(Object.entries(one).map(([name, value]) => [snakeOf(name), value])),
    ),
};

function verdictsOf(events: readonly AgentEvent[]): string[] {
  const analyzer = createSessionAnalyzer();
  return events
    .flatMap((event) => analyzer.push(event))
    .filter(({ phase }) => phase === 'opened')
    .map(({ detector, count }) => `${detector} ${String(count)}`);
}

const ofType = (events: readonly AgentEvent[], type: string) => events.filter((event) => event.type === type);

describe.each(Object.keys(exports))('%s', (name) => {
  const eventsOf = (scenario: Scenario) =>
    readAll('auto', exports[name]!(observationsOf(scenario).toReversed())).events;

  it.each([
    ['loop', ['tool-repeat 3']],
    ['failing', ['tool-repeat 3']],
    ['healthy', []],
  ] as const)('%s: has exactly the calls made, and verdicts %j', (scenario, verdicts) => {
    const events = eventsOf(scenario);
    expect(ofType(events, 'tool_call_request')).toHaveLength(5);
    expect(ofType(events, 'tool_result')).toHaveLength(5);
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([`langfuse-${scenario}`]));
    expect(verdictsOf(events)).toEqual(verdicts);
  });

  it('has the tokens of each response, also from before there were details', () => {
    const older = observationsOf('healthy').map(({ usageDetails, ...rest }) => ({
      ...rest,
      usageDetails: {},
      ...(rest['type'] === 'GENERATION' && {
        usage: { input: 20, output: 5, unit: 'TOKENS' },
        promptTokens: 20,
      }),
    }));
    const oldest = observationsOf('healthy').map(({ usageDetails, ...rest }) => ({
      ...rest,
      ...(rest['type'] === 'GENERATION' && { promptTokens: 20, completionTokens: 5, totalTokens: 25 }),
    }));
    for (const observations of [older, oldest]) {
      const read = readAll('auto', exports[name]!(observations)).events;
      expect(ofType(read, 'turn_finished').map(({ usage }) => usage)).toMatchObject(
        Array(5).fill({ inputTokens: 20, outputTokens: 5 }),
      );
    }
    const usages = ofType(eventsOf('healthy'), 'turn_finished').map(({ usage }) => usage);
    expect(usages).toMatchObject(Array(5).fill({ inputTokens: 20, outputTokens: 5 }));
  });
});

it('a page of the API without the group of fields `io`: its calls all differ', () => {
  const page = observationsOf('loop').map(({ input, output, ...rest }) => rest);
  const { events } = readAll('auto', [{ data: page, meta: {} }]);
  expect(ofType(events, 'tool_call_request')).toHaveLength(5);
  expect(verdictsOf(events)).toEqual([]);
});
