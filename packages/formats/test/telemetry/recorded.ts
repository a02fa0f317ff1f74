import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { otlpJson } from '../../src/telemetry/otlp-protobuf.ts';

export type Scenario = 'loop' | 'failing' | 'healthy';

/** An SDK of `tools/recordings/sdks.json`, with what its agent did. */
interface RecordedSdk {
  readonly name: string;
  readonly sdk: string;
  /** What makes its telemetry. */
  readonly telemetry: string;
  /** Whether its telemetry contains arguments and results; true by default. */
  readonly hasContent?: boolean;
  /** Set if its telemetry has the model's thoughts among the texts, or outside the messages of its model. */
  readonly thoughts?: 'as text' | 'not read';
  /** Whether one span stands for all responses of a run, with the usage of the last. */
  readonly hasOneSpan?: boolean;
  /** What finds its failing loop without content. */
  readonly failing?: string;
  /** Calls and results that its telemetry reports, where these are not all five. */
  readonly calls?: Readonly<Partial<Record<Scenario, number>>>;
  readonly results?: Readonly<Partial<Record<Scenario, number>>>;
}

interface Recording {
  readonly runs: Readonly<Record<Scenario, readonly { readonly path: string; readonly body: string }[]>>;
}

const root = join(import.meta.dirname, '../../../..');
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** The SDKs whose telemetry is recorded. */
export const recordedSdks = read(join(root, 'tools/recordings/sdks.json')) as readonly RecordedSdk[];

/** The export requests of a run: their paths, and their bodies in protobuf and as OTLP/JSON. */
export function requestsOf(name: string, scenario: Scenario) {
  const { runs } = read(join(import.meta.dirname, 'recorded', `${name}.json`)) as Recording;
  return runs[scenario].map(({ path: sentTo, body: packed }) => {
    // Langfuse has its endpoint elsewhere.
    const path = sentTo.replace('/api/public/otel', '');
    const body = gunzipSync(Buffer.from(packed, 'base64'));
    const json = otlpJson(body, path.endsWith('/logs') ? 'logs' : 'traces');
    if (json === undefined) throw new Error(`${name}, ${scenario}: ${path} has a body that is not OTLP`);
    return { path, body, json };
  });
}

/** What the model thinks in each of its turns, as `tools/recordings/model.py` has it. */
export const thought = /Request \d+: [\w ,.]+ comes next\./g;

/** Whether the telemetry of an SDK contains what the model thinks. */
export function recordsThoughts(name: string): boolean {
  return requestsOf(name, 'healthy').some(({ json }) => json.search(thought) >= 0);
}
