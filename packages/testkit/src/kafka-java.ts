import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { BrokerProcess, BrokerRunner } from './broker-process.ts';
import { freePort } from './ports.ts';
import { tempDir } from './temp-dir.ts';

const run = promisify(execFile);
const clusterId = 'loopwatch-test-cluster';

/**
 * Starts Java beside a guard that holds a pipe to this process and kills Java once the pipe is gone: no broker survives
 * its test, however that ends. The first line of output is Java's process id.
 */
const guardedJava = `
exec 3<&0
java "$@" </dev/null 3<&- &
java=$!
echo $java >&4
(cat <&3 >/dev/null; kill -KILL $java 2>/dev/null) &
wait $java
`;

function properties(port: number, controllerPort: number, data: string): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${data}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
`;
}

const logging = `<Configuration status="ERROR">
  <Appenders><Console name="out"><PatternLayout pattern="%d %p %c: %m%n"/></Console></Appenders>
  <Loggers><Root level="WARN"><AppenderRef ref="out"/></Root></Loggers>
</Configuration>
`;

/** A broker run by Java from Apache Kafka's jars, with its data in a temporary folder. */
export async function javaRunner(jars: string): Promise<BrokerRunner> {
  const folder = await tempDir('loopwatch-kafka');
  const port = await freePort();
  const file = (name: string) => join(folder.path, name);
  const classPath = ['-cp', join(jars, '*')];
  await writeFile(file('server.properties'), properties(port, await freePort(), file('data')));
  await writeFile(file('log4j2.xml'), logging);
  const logs = `-Dlog4j2.configurationFile=${file('log4j2.xml')}`;
  const format = ['format', '-t', Buffer.from(clusterId).toString('base64url').slice(0, 22)];
  await run('java', [
    logs,
    ...classPath,
    'kafka.tools.StorageTool',
    ...format,
    '-c',
    file('server.properties'),
  ]);
  const args = [
    '-Xms256m',
    '-Xmx512m',
    '-XX:+UseSerialGC',
    logs,
    ...classPath,
    'kafka.Kafka',
    file('server.properties'),
  ];
  return {
    address: `127.0.0.1:${port}`,
    launch: () => launch(args, file('server.log')),
    dispose: () => folder.remove(),
  };
}

async function launch(args: readonly string[], logFile: string): Promise<BrokerProcess> {
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
  return {
    exited,
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    stop: async () => {
      signal('SIGCONT');
      signal('SIGTERM');
      const timer = setTimeout(() => signal('SIGKILL'), 15_000);
      await exited;
      clearTimeout(timer);
      guard.stdin?.destroy();
    },
    output: () => readFile(logFile, 'utf8'),
  };
}
