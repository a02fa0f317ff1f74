// The wheel and the source distribution of `clients/python`, built by hatchling in a virtual environment that is kept in `.cache`.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packed, root, version } from './published.mjs';

const backend = 'hatchling==1.33.0';
const environment = join(root, '.cache', `python-${backend}`);
const python = join(environment, 'bin/python');

function run(program, ...args) {
  execFileSync(program, args, { cwd: join(root, 'clients/python'), stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @throws Error if there is no Python that can make virtual environments, or PyPI cannot be reached */
export function packPython() {
  if (!existsSync(join(environment, 'complete'))) {
    rmSync(environment, { recursive: true, force: true });
    try {
      run('python3', '-m', 'venv', environment);
    } catch (cause) {
      throw new Error('Building the Python client needs python3 with venv: apt-get install python3-venv', {
        cause,
      });
    }
    run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', backend);
    run(python, '-c', `open(${JSON.stringify(join(environment, 'complete'))}, "w").close()`);
  }
  run(python, '-m', 'hatchling', 'build', '-d', packed);
  const files = readdirSync(packed).filter((name) => /^loopwatch-.*\.(?:whl|tar\.gz)$/.test(name));
  for (const file of [`loopwatch-${version}-py3-none-any.whl`, `loopwatch-${version}.tar.gz`])
    if (!files.includes(file)) throw new Error(`Expected ${file}, not ${files.join(', ')}`);
  console.log(files.sort().join(', '));
}
