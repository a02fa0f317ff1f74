import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cachedFolder } from '../cached-folder.ts';
import { tempDir } from '../temp-dir.ts';
import type { BrokerProcess, BrokerRunner } from './broker-process.ts';

const run = promisify(execFile);
const quickStart = '-XX:TieredStopAtLevel=1';
const clusterId = 'loopwatch-test-cluster';

/**
 * Starts Java with a watchdog that holds a pipe to this process and kills Java when the pipe closes: no server outlives
 * its test, however the test ends. The first line of output is Java's process id.
 */
const guardedJava = `
exec 3<&0
java "$@" </dev/null 3<&- &
java=$!
echo $java >&4
(cat <&3 >/dev/null; kill -KILL $java 2>/dev/null) &
wait $java
`;

/** A Kafka node to run in Java. */
export interface JavaNode {
  /** Plain text address for the test's own clients. */
  readonly address: string;
  /** The lines of its `server.properties`; the folder of its data is added. */
  readonly properties: Readonly<Record<string, string>>;
  /** Further arguments for formatting the storage. */
  readonly format?: readonly string[];
  /** Limits JIT compilation: starts a third faster but runs slower. Not for benchmarks. */
  readonly quickStart?: boolean;
  /** The option of Java for an archive of classes. */
  readonly classes?: string;
  /** Java's system properties. */
  readonly system?: Readonly<Record<string, string>>;
}

/** Formats a Java properties file; values may have several lines. */
function propertiesFile(properties: Readonly<Record<string, string>>): string {
  const lines = Object.entries(properties).map(
    ([name, value]) => `${name}=${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
  );
  return lines.join('');
}

const logging = `<Configuration status="ERROR">
  <Appenders><Console name="out"><PatternLayout pattern="%d %p %c: %m%n"/></Console></Appenders>
  <Loggers><Root level="WARN"><AppenderRef ref="out"/></Root></Loggers>
</Configuration>
`;

/** A node run by Java from Apache Kafka's jars, with its data in a temporary folder. */
export async function javaRunner(jars: string, node: JavaNode): Promise<BrokerRunner> {
  const folder = await tempDir('loopwatch-kafka');
  const file = (name: string) => join(folder.path, name);
  const settings = file('server.properties');
  await writeFile(settings, propertiesFile({ ...node.properties, 'log.dirs': file('data') }));
  await writeFile(file('log4j2.xml'), logging);
  const java = [
    '-XX:+UseSerialGC',
    ...(node.classes === undefined ? [] : [node.classes]),
    ...Object.entries(node.system ?? {}).map(([name, value]) => `-D${name}=${value}`),
    `-Dlog4j2.configurationFile=${file('log4j2.xml')}`,
    '-cp',
    join(jars, '*'),
  ];
  try {
    await cp(await formattedStorage(jars, java, node), file('data'), { recursive: true });
  } catch (error) {
    await folder.remove();
    throw error;
  }
  const memory = ['-Xms256m', '-Xmx512m', ...(node.quickStart === true ? [quickStart] : [])];
  return {
    address: node.address,
    data: file('data'),
    launch: () => launchJava([...memory, ...java, 'kafka.Kafka', settings], file('server.log')),
    dispose: () => folder.remove(),
  };
}

/** Storage that a node can begin with. Formatting it takes a third of the CPU time of a start, so it is kept. */
async function formattedStorage(jars: string, java: readonly string[], node: JavaNode): Promise<string> {
  const id = Buffer.from(clusterId).toString('base64url').slice(0, 22);
  const format = ['format', '-t', id, ...(node.format ?? [])];
  const written = JSON.stringify([node.properties['node.id'], format]);
  const hash = createHash('sha256').update(written).digest('hex').slice(0, 8);
  return cachedFolder(`${basename(jars)}-storage-${hash}`, async (work) => {
    await using folder = await tempDir('loopwatch-kafka');
    const settings = join(folder.path, 'server.properties');
    await writeFile(settings, propertiesFile({ ...node.properties, 'log.dirs': work }));
    await run('java', [quickStart, ...java, 'kafka.tools.StorageTool', ...format, '-c', settings]);
  });
}

/** Runs `java` with these arguments; its output goes to the file. */
export async function launchJava(args: readonly string[], logFile: string): Promise<BrokerProcess> {
  const output = openSync(logFile, 'a');
  const guard = spawn('/bin/sh', ['-c', guardedJava, 'sh', ...args], {
    stdio: ['pipe', output, output, 'ignore', 'pipe'],
  });
  closeSync(output);
  const exited = once(guard, 'exit').then(() => undefined);
  const lines = createInterface({ input: guard.stdio[4] as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  lines.close();
  const pid = Number(line);
  const signal = (name: NodeJS.Signals) => {
    if (guard.exitCode === null && guard.signalCode === null) process.kill(pid, name);
  };
  const ended = async () => {
    await exited;
    guard.stdin?.destroy();
  };
  return {
    exited,
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    stop: async () => {
      signal('SIGCONT');
      signal('SIGTERM');
      const timer = setTimeout(() => signal('SIGKILL'), 15_000);
      await ended();
      clearTimeout(timer);
    },
    kill: async () => {
      signal('SIGKILL');
      await ended();
    },
    refuseWrites: async () => {
      await run('prlimit', ['--pid', line, '--fsize=0:']);
    },
    output: () => readFile(logFile, 'utf8'),
  };
}
