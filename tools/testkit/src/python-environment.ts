import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from './cached-folder.ts';
import { hasCommand } from './kafka/kafka-jars.ts';

const run = promisify(execFile);

/** A Python with the official clients and OpenTelemetry's SDK, as `pythonWith`. */
export function clientsPython(): Promise<string> {
  return pythonWith(
    join(import.meta.dirname, '../../../packages/gateway/test/clients/python/requirements.txt'),
  );
}

/**
 * A Python with the packages of a requirements file, in a separate virtual environment. It is created the first time and
 * cached in `~/.cache/loopwatch` until the requirements or the Python version change.
 *
 * @returns path of the interpreter
 * @throws Error naming what is missing and how to install it
 */
export async function pythonWith(requirements: string): Promise<string> {
  if (!(await hasCommand('python3', '-c', 'import ensurepip, venv')))
    throw new Error(
      'there is no Python that can make virtual environments; run: sudo apt-get install -y python3 python3-venv',
    );
  const { stdout: version } = await run('python3', ['--version']);
  const hash = createHash('sha256')
    .update(version)
    .update(await readFile(requirements));
  const folder = await cachedFolder(`python-${hash.digest('hex').slice(0, 16)}`, async (work) => {
    await run('python3', ['-m', 'venv', work]);
    // The folder is moved when complete, after which its own `pip` command no longer works.
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--requirement',
      requirements,
    ];
    await run(join(work, 'bin/python'), pip).catch((error: unknown) => {
      const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
      throw new Error(
        `could not install ${requirements} from PyPI; check the network.\n${output.slice(-2000)}`,
        {
          cause: error,
        },
      );
    });
  });
  return join(folder, 'bin/python');
}
