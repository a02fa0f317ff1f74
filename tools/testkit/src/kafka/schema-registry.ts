import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '../cached-folder.ts';
import { copyJars } from '../maven.ts';
import { freePort } from '../ports.ts';
import { tempDir } from '../temp-dir.ts';
import { waitFor } from '../wait-for.ts';
import { launchJava } from './kafka-java.ts';

const run = promisify(execFile);

/** The last one that runs on Java 17. */
const version = '2.6.13.Final';
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.loopwatch</groupId>
  <artifactId>schema-registry</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.apicurio</groupId>
      <artifactId>apicurio-registry-app</artifactId>
      <version>${version}</version>
      <type>tar.gz</type>
      <classifier>all</classifier>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
  </dependencies>
</project>
`;

/** A schema registry with Confluent's REST API. */
export interface SchemaRegistry {
  readonly host: string;
  /** Path of the API, on the host. */
  readonly path: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts Apicurio Registry, with its schemas in memory. Maven fetches it the first time (142 MB). */
export async function startSchemaRegistry(): Promise<SchemaRegistry> {
  const folder = await cachedFolder(`apicurio-${version}`, fetchRegistry);
  const port = await freePort();
  const host = `127.0.0.1:${String(port)}`;
  const path = '/apis/ccompat/v7';
  const jar = join(folder, `apicurio-registry-app-${version}-runner.jar`);
  const settings = [`-Dquarkus.http.port=${String(port)}`, '-Dquarkus.http.host=127.0.0.1'];
  const logs = await tempDir('loopwatch-registry');
  const java = await launchJava(
    ['-Xmx384m', '-XX:TieredStopAtLevel=1', ...settings, '-jar', jar],
    join(logs.path, 'registry.log'),
  );
  const stop = async () => {
    await java.kill();
    await logs.remove();
  };
  const url = `http://${host}${path}`;
  try {
    await waitFor(() => isReady(url), { describe: 'the schema registry' });
  } catch (error) {
    const output = await java.output();
    await stop();
    throw new Error(`The schema registry did not start:\n${output}`, { cause: error });
  }
  return { host, path, url, stop };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/subjects`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function fetchRegistry(folder: string): Promise<void> {
  await copyJars(pom, folder);
  for (const archive of await readdir(folder)) {
    await run('tar', ['-xzf', archive], { cwd: folder });
    await rm(join(folder, archive));
  }
}
