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
  /** The configured settings, which new ones lie over. */
  readonly base: DetectionSettings;
}

export interface SettingsChange {
  readonly scope: Scope;
  /** In place of what the scope set before; empty: nothing any more. */
  readonly set: Readonly<Record<string, unknown>>;
  /** The version the change was made on; whatever it is, where absent. */
  readonly version: number | undefined;
  readonly by: string;
  /** Wall clock, epoch ms. */
  readonly at: number;
}

/**
 * Changes what a scope sets: in the log, where detection follows it, then in the database. While the log cannot be written
 * to, nothing changes: who switches something off has to know whether it is off.
 *
 * @throws HttpProblem 400 for a bad key or value, 404 for an unknown session, 409 for another version, 503 without log
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
      `The settings of ${scope.text} are at version ${String(before.version)} by now, changed by ${before.updatedBy ?? 'an unknown user'}; this change was made on version ${String(version)}. Read them again`,
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
      'The event log did not take the settings; nothing has changed. Try again',
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
  const found = await database.query('select 1 from sessions where id = $1', [id]);
  if (found.length === 0) throw new HttpProblem(404, `There is no session ${id}: it has sent no event yet`);
}
