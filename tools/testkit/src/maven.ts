import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Copies the jars that a POM names, with all that they need, to a folder. @throws Error with Maven's output */
export async function copyJars(pom: string, folder: string): Promise<void> {
  const project = await mkdtemp(join(tmpdir(), 'loopwatch-jars-'));
  try {
    await writeFile(join(project, 'pom.xml'), pom);
    const options = ['-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
    await run('mvn', ['--batch-mode', '--quiet', 'dependency:copy-dependencies', ...options], {
      cwd: project,
    });
  } catch (error) {
    throw new Error(error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error), {
      cause: error,
    });
  } finally {
    await rm(project, { recursive: true, force: true });
  }
}
