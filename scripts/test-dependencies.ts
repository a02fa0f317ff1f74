// Installs what the tests need beyond Node and npm, as root; otherwise exits 1 with the command that does.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findChromium } from '../e2e/support/chromium.ts';

/** Kafka's brokers and Spring AI need it. */
const OLDEST_JAVA = 17;

interface Dependency {
  /** The packages of APT and Homebrew. */
  readonly apt: string;
  readonly brew: string;
  readonly isHere: boolean;
}

function findMissing(): readonly Dependency[] {
  const java = /version "(\d+)/.exec(outputOf('java', '-version') ?? '')?.[1];
  const dependencies: readonly Dependency[] = [
    { apt: 'chromium', brew: 'chromium', isHere: findChromium() !== undefined },
    {
      apt: 'default-jdk-headless',
      brew: 'openjdk',
      isHere: Number(java ?? 0) >= OLDEST_JAVA && hasCommand('javac'),
    },
    { apt: 'maven', brew: 'maven', isHere: hasCommand('mvn') },
    { apt: 'prometheus', brew: 'prometheus', isHere: hasCommand('prometheus') && hasCommand('promtool') },
    { apt: 'python3', brew: 'python', isHere: hasCommand('python3') },
    {
      apt: 'python3-venv',
      brew: 'python',
      isHere: outputOf('python3', '-c', 'import ensurepip') !== undefined,
    },
  ];
  return dependencies.filter(({ isHere }) => !isHere);
}

function hasCommand(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)));
}

/** @returns all that it printed; undefined if it fails or does not exist */
function outputOf(command: string, ...args: readonly string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? stdout + stderr : undefined;
}

function aptCommands(missing: readonly Dependency[]): readonly string[] {
  const names = missing.map(({ apt }) => apt);
  // Ubuntu's Chromium is a snap, which containers cannot install.
  const byPlaywright = isUbuntu() ? ['chromium'] : [];
  const byApt = names.filter((name) => !byPlaywright.includes(name)).join(' ');
  return [
    ...(byApt === '' ? [] : ['apt-get update -q', `apt-get install -y -q --no-install-recommends ${byApt}`]),
    ...byPlaywright
      .filter((name) => names.includes(name))
      .map(() => 'npx playwright install --with-deps chromium'),
  ];
}

function isUbuntu(): boolean {
  const file = '/etc/os-release';
  return existsSync(file) && /^ID=ubuntu$/m.test(readFileSync(file, 'utf8'));
}

/** What a person runs. */
function commandFor(missing: readonly Dependency[], hasApt: boolean): string {
  if (!hasApt) return `brew install ${[...new Set(missing.map(({ brew }) => brew))].join(' ')}`;
  return aptCommands(missing)
    .map((command) => `sudo ${command}`)
    .join(' && ');
}

/** @returns why the tests cannot run */
function install(missing: readonly Dependency[]): string | undefined {
  if (missing.length === 0) return undefined;
  const names = missing.map(({ apt }) => apt).join(', ');
  const hasApt = hasCommand('apt-get');
  if (!hasApt || outputOf('id', '-u')?.trim() !== '0')
    return `The tests need ${names}. Install them, then run the tests again:\n\n  ${commandFor(missing, hasApt)}\n`;
  for (const command of aptCommands(missing)) {
    console.log(`The tests need ${names}: ${command}`);
    const { status } = spawnSync(command, {
      shell: true,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) return `Could not install ${names}: ${command} failed`;
  }
  return undefined;
}

const fault = install(findMissing());
if (fault !== undefined) {
  console.error(fault);
  process.exitCode = 1;
}
