import { jsonText, type Queryable } from '@loopwatch/storage';

/** What one scope sets, and who said so. */
export interface StoredSettings {
  readonly scope: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly updatedAt: number | null;
  readonly updatedBy: string | null;
}

const columns = `scope, "values" as set, version, updated_at as "updatedAt", updated_by as "updatedBy"`;

/** Of all scopes that set something. */
export function allSettings(database: Queryable): Promise<StoredSettings[]> {
  return database.query<StoredSettings>(
    `select ${columns} from settings where "values" <> '{}'::jsonb order by scope`,
  );
}

/** Of one scope; version 0 where nothing was ever set. */
export async function settingsOf(database: Queryable, scope: string): Promise<StoredSettings> {
  const [row] = await database.query<StoredSettings>(`select ${columns} from settings where scope = $1`, [
    scope,
  ]);
  return row ?? { scope, set: {}, version: 0, updatedAt: null, updatedBy: null };
}

/** Keeps settings unless newer ones are known. The transaction holds the lock of changes. */
export async function storeSettings(tx: Queryable, settings: StoredSettings): Promise<void> {
  await tx.query(
    `insert into settings (scope, change, version, "values", updated_at, updated_by)
     values ($1, nextval('changes'), $2, $3::jsonb, $4, $5)
     on conflict (scope) do update set change = excluded.change, version = excluded.version,
       "values" = excluded."values", updated_at = excluded.updated_at, updated_by = excluded.updated_by
     where excluded.version > settings.version`,
    [
      settings.scope,
      settings.version,
      jsonText(settings.set),
      settings.updatedAt ?? 0,
      settings.updatedBy ?? '',
    ],
  );
}
