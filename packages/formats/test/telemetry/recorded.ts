import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export type Scenario = 'loop' | 'failing' | 'healthy';

/** An SDK of `tools/recordings/sdks.json`, with what its agent did. */
interface RecordedSdk {
  readonly name: string;
  readonly sdk: string;
  /** What makes its telemetry. */
  readonly telemetry: string;
  /** Whether its telemetry contains arguments and results; true by default. */
  readonly hasContent?: boolean;
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

/** The export requests of a run: their paths and bodies, in protobuf. */
export function requestsOf(name: string, scenario: Scenario): { path: string; body: Buffer }[] {
  const { runs } = read(join(import.meta.dirname, 'recorded', `${name}.json`)) as Recording;
  return runs[scenario].map(({ path, body }) => ({ path, body: gunzipSync(Buffer.from(body, 'base64')) }));
}
