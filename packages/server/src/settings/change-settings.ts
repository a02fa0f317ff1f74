import type { Control, DetectionSettings } from '@loopwatch/contract';
import type { OutputRecord, RecordSink } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import { HttpProblem } from '../http/problem.ts';
import { lockChanges } from '../storage/change-lock.ts';
import { checkSettings } from './check-settings.ts';
import { controlHeaders } from './control-headers.ts';
import type { Scope } from './scope.ts';
import { settingsOf, storeSettings } from './stored-settings.ts';

export interface ChangeSettingsDeps {
  readonly database: Database;
  readonly sink: RecordSink;
  readonly topics: { readonly control: string; readonly events: string };
  /** The configured settings, which the changes override. */
  readonly base: DetectionSettings;
}

export interface SettingsChange {
  readonly scope: Scope;
  /** Replaces the overrides of the scope; empty: removes them. */
  readonly set: Readonly<Record<string, unknown>>;
  /** The version that the change is based on; undefined: any. */
  readonly version: number | undefined;
  readonly by: string;
  /** Wall clock, epoch ms. */
  readonly at: number;
}

/**
 * Changes the overrides of a scope: first in the log, which detection follows, then in the database. Nothing changes while the
 * log is unavailable: a user who switches something off must know whether it is off.
 *
 * @throws HttpProblem 400 for a bad key or value, 404 for an unknown session, 409 for another version, 503 when the log is unavailable
 */
export async function changeSettings(
  { database, sink, topics, base }: ChangeSettingsDeps,
  { scope, set, version, by, at }: SettingsChange,
): Promise<void> {
  checkSettings(base, scope, set);
  if (scope.kind === 'session') await requireSession(database, scope.name);
  const before = await settingsOf(database, scope.text);
  if (version !== undefined && version !== before.version) {
    throw new HttpProblem(
      409,
      `The settings of ${scope.text} were changed to version ${String(before.version)} by ${before.updatedBy ?? 'an unknown user'}; this change is based on version ${String(version)}. Reload and retry`,
      { current: before },
    );
  }
  const next = before.version + 1;
  const isEmpty = Object.keys(set).length === 0;
  const control: Control = { v: 1, scope: scope.text, set: { ...set }, unset: [] };
  const records: OutputRecord[] = [
    {
      topic: topics.control,
      key: scope.text,
      value: isEmpty ? null : JSON.stringify(control),
      headers: controlHeaders(next, by),
    },
  ];
  if (scope.kind === 'session') {
    const unset = Object.keys(before.set).filter((path) => !Object.hasOwn(set, path));
    const id = `settings-${String(next)}-${String(at)}`;
    const event = { v: 1, type: 'control', id, sessionId: scope.name, time: at, set, unset };
    records.unshift({ topic: topics.events, key: scope.name, value: JSON.stringify(event) });
  }
  try {
    await sink.publish(records);
  } catch (error) {
    throw new HttpProblem(
      503,
      'Could not write the settings to the event log; nothing has changed. Retry',
      {},
      error,
    );
  }
  await database.transaction(async (tx) => {
    await lockChanges(tx);
    await storeSettings(tx, { scope: scope.text, set, version: next, updatedAt: at, updatedBy: by });
  });
}

async function requireSession(database: Database, id: string): Promise<void> {
  const rows = await database.query('select 1 from sessions where id = $1', [id]);
  if (rows.length === 0) throw new HttpProblem(404, `Session ${id} not found: it has sent no event yet`);
}
