import { jsonText, type Queryable } from '@loopwatch/storage';

/** The overrides of a scope, and who changed them. */
export interface StoredSettings {
  readonly scope: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly updatedAt: number | null;
  readonly updatedBy: string | null;
}

const columns = `scope, "values" as set, version, updated_at as "updatedAt", updated_by as "updatedBy"`;

/** All scopes with overrides. */
export function allSettings(database: Queryable): Promise<StoredSettings[]> {
  return database.query<StoredSettings>(
    `select ${columns} from settings where "values" <> '{}'::jsonb order by scope`,
  );
}

/** The overrides of one scope; version 0: never set. */
export async function settingsOf(database: Queryable, scope: string): Promise<StoredSettings> {
  const [row] = await database.query<StoredSettings>(`select ${columns} from settings where scope = $1`, [
    scope,
  ]);
  return row ?? { scope, set: {}, version: 0, updatedAt: null, updatedBy: null };
}

/** Stores overrides, unless a newer version is stored. The transaction holds the change lock. */
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
