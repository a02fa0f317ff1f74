import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from './cached-folder.ts';
import { copyJars } from './maven.ts';

const run = promisify(execFile);

/**
 * The arguments of `java` that run a program, compiled with the jars of the `pom.xml` beside it. Both are cached in
 * `~/.cache/loopwatch` until one of them changes.
 *
 * @param source path of the program, which is a single class without package
 * @throws Error with the output of Maven or the compiler
 */
export async function javaProgram(source: string): Promise<readonly string[]> {
  const pom = await readFile(join(dirname(source), 'pom.xml'), 'utf8');
  const program = basename(source, '.java');
  const hash = createHash('sha256')
    .update(pom)
    .update(await readFile(source));
  const folder = await cachedFolder(`java-${hash.digest('hex').slice(0, 16)}`, async (work) => {
    await copyJars(pom, work).catch((error: unknown) => {
      throw new Error(`Maven could not fetch the jars of ${program}; check the network.\n${String(error)}`, {
        cause: error,
      });
    });
    await run('javac', ['-cp', join(work, '*'), '-d', work, source]);
  });
  return ['-cp', [folder, join(folder, '*')].join(':'), program];
}
