import { messageOf, type Settings } from '@loopwatch/contract';
import { checkRegistry } from '@loopwatch/log';
import { schemaRegistry } from '../kafka/schema-registry.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that the schema registry answers, accepts the login, and has usable schemas for the sources. */
export async function checkSchemaRegistry(settings: Settings): Promise<Diagnosis[]> {
  const { url, username } = settings.kafka.schema_registry;
  const what = `schema registry at ${url ?? ''}${username === undefined ? '' : ` as ${username}`}`;
  try {
    const registry = schemaRegistry(settings);
    if (registry === undefined) return [];
    const subjects = await checkRegistry(registry, Object.keys(settings.kafka.sources));
    return [
      { ok: true, what: `${what} answers` },
      ...subjects.map(({ subject, status, fault }): Diagnosis => {
        if (status === 'usable') return { ok: true, what: `the schema of ${subject} is usable` };
        const note = `the schema registry has no subject ${subject}: values are plain JSON, or have schemas of other subjects`;
        if (status === 'unknown') return { ok: true, what: note };
        const advice = `${fault}. Until its producers register a usable schema, their values become dead letters.`;
        return { ok: false, what: `the newest schema of ${subject} is not usable`, advice };
      }),
    ];
  } catch (error) {
    return [{ ok: false, what, advice: messageOf(error).replace(/\.?$/, '.') }];
  }
}
