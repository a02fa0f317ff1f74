import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '../cached-folder.ts';
import { freePorts } from '../ports.ts';
import { javaRunner } from './kafka-java.ts';
import { launchBroker } from './kafka-launch.ts';
import { singleNodeProperties } from './kafka-properties.ts';

const run = promisify(execFile);
const file = 'classes.jsa';

/**
 * The Java option that maps Kafka's classes into memory as an earlier broker has loaded them, which saves a node almost half
 * of the CPU time of its start. They are archived the first time, for each list of jars and version of Java. Java ignores an
 * archive that is missing or does not fit.
 */
export async function archivedClasses(jars: string): Promise<string> {
  const { stdout, stderr } = await run('java', ['-version']);
  const version = createHash('sha256').update(stdout).update(stderr).digest('hex').slice(0, 8);
  const folder = await cachedFolder(`${basename(jars)}-classes-${version}`, (work) =>
    archive(jars, join(work, file)),
  );
  return `-XX:SharedArchiveFile=${join(folder, file)}`;
}

/** Java writes the archive when the broker ends. */
async function archive(jars: string, path: string): Promise<void> {
  const [client, controller] = (await freePorts(2)) as [number, number];
  const runner = await javaRunner(jars, {
    address: `127.0.0.1:${client}`,
    properties: singleNodeProperties({ client, controller }),
    quickStart: true,
    classes: `-XX:ArchiveClassesAtExit=${path}`,
  });
  try {
    const broker = await launchBroker(runner);
    await broker.stop();
  } finally {
    await runner.dispose();
  }
}
