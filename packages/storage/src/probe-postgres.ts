/** The oldest version that all statements run on. */
const oldest = 13;

/**
 * Looks whether a PostgreSQL server can be used, and changes nothing.
 *
 * @returns its version
 * @throws Error that says what is wrong with it and what to do, without the password
 */
export async function probePostgres(url: string): Promise<string> {
  const { openPostgres } = await import('./postgres-database.ts');
  const database = openPostgres({ url, onTrouble: () => undefined });
  try {
    const [row] = await database.query<{ version: string; number: number; may: boolean; user: string }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
         coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may, current_user::text as user`,
    );
    if (row === undefined) throw new Error('unexpected reply to `show server_version`');
    if (row.number < oldest * 10_000) {
      throw new Error(`PostgreSQL ${row.version} is too old: version ${String(oldest)} or newer is required`);
    }
    if (!row.may) {
      throw new Error(
        `The user ${row.user} may not create tables: grant create on schema public to "${row.user}"`,
      );
    }
    return row.version;
  } finally {
    await database.close();
  }
}
