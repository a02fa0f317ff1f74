import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DetectorDefinition, detectors, planDetection, SessionAnalyzer } from '../../src/internal.ts';
import { anySession } from '../sessions.ts';

const everything: DetectionInput = {
  preset: 'balanced',
  tool_call_limit: { enabled: true },
  turn_requests: { enabled: true },
  budget: { tokens: 50, calls: 20 },
};
/** Half of the calls fail as in an outage, the others get the same answer. */
const withResults = anySession.map((events) =>
  events.flatMap((event, i): AgentEvent[] => {
    const result = i % 8 < 4 ? '503 Service Unavailable' : 'the file is empty, as before';
    return event.type === 'tool_call_request' ? [event, { type: 'tool_result', result }] : [event];
  }),
);

function analyzer(config: DetectionInput, definitions: typeof detectors): SessionAnalyzer {
  const settings = detectionSchema.parse(config);
  const plan = planDetection(settings, false, definitions);
  return new SessionAnalyzer('s', { settings, plan, semantic: null });
}

function readingAll(definition: DetectorDefinition): DetectorDefinition {
  const { reads: _, ...rest } = definition;
  return rest;
}

it.each<[string, DetectionInput, typeof anySession]>([
  ['results', everything, withResults],
  ['calls only', { ...everything, preset: 'similar', content_loop: { enabled: true } }, anySession],
])('detectors declare all event types that they process: rules over %s', (_, config, sessions) => {
  const all = detectors.map(readingAll);
  fc.assert(
    fc.property(sessions, (events) => {
      const [session, toldAll] = [analyzer(config, detectors), analyzer(config, all)];
      for (const event of events) {
        expect(session.push(event)).toEqual(toldAll.push(event));
        expect(session.snapshot()).toEqual(toldAll.snapshot());
      }
    }),
    { seed: 7, numRuns: 150 },
  );
});
