/** The oldest PostgreSQL version that supports all statements. */
const MIN_VERSION = 13;

/**
 * Checks whether a PostgreSQL server can be used, without changing anything.
 *
 * @returns its version
 * @throws Error that names the problem and how to fix it, without the password
 */
export async function probePostgres(url: string): Promise<string> {
  const { openPostgres } = await import('./postgres-database.ts');
  const database = openPostgres({ url, onTrouble: () => undefined });
  try {
    const [row] = await database.query<{
      version: string;
      number: number;
      may: boolean;
      user: string;
      fixed: boolean;
    }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
         coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may, current_user::text as user,
         current_setting('transaction_read_only') = 'on' as fixed`,
    );
    if (row === undefined) throw new Error('The server did not return its version');
    if (row.number < MIN_VERSION * 10_000) {
      throw new Error(
        `PostgreSQL ${row.version} is too old: version ${String(MIN_VERSION)} or newer is required`,
      );
    }
    if (row.fixed)
      throw new Error('PostgreSQL is read-only, as a standby is: use the address of the primary');
    if (!row.may) {
      throw new Error(
        `The user ${row.user} may not create tables. Run: grant create on schema public to "${row.user}"`,
      );
    }
    return row.version;
  } finally {
    await database.close();
  }
}
