import { existsSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, postgresTools, startPostgres, uniqueName, waitFor } from '@loopwatch/testkit';
import { root } from '@loopwatch/testkit/documented';
import { expect, inject, it, onTestFinished } from 'vitest';
import { folderOf } from '../scan/histories.ts';
import { shellBlocks } from './checks.ts';
import { runDocumented } from './run-documented.ts';
import { sessionsAt } from './server.ts';

const setUp = shellBlocks(import.meta.url, 'docs/deployment.md').map(({ text }) => text);
const storage = shellBlocks(import.meta.url, 'docs/operations.md').map(({ text }) => text);

/** Free ports in place of the printed ones. */
async function freePorts(): Promise<Map<string, string>> {
  const printed = ['4600', '4601', '9000', '9190', '9193'];
  return new Map(await Promise.all(printed.map(async (port) => [port, String(await freePort())] as const)));
}

/** The files that the commands use, with these ports. */
async function filesOf(ports: ReadonlyMap<string, string>): Promise<string> {
  const folder = await folderOf({});
  const files = ['deploy/local', 'prometheus'];
  for (const path of files) {
    await cp(join(root, path), join(folder, path), { recursive: true });
    for (const name of await readdir(join(folder, path))) {
      const file = join(folder, path, name);
      const text = await readFile(file, 'utf8');
      await writeFile(
        file,
        text.replaceAll(/(?<=localhost:|listen\()\d+/g, (port) => ports.get(port) ?? port),
      );
    }
  }
  return folder;
}

/** Stops a script until the test has created a file. */
const waitForFile = (name: string): string => `until [ -e ${name} ]; do sleep 0.05; done\n`;

/** Fails unless the arguments are those of an Alertmanager whose configuration exists. */
const alertmanager = `case "$*" in
--config.file=*\\ --storage.path=*\\ --web.listen-address=localhost:*\\ --cluster.listen-address=) ;;
*) exit 1 ;;
esac
config="\${1#--config.file=}"
[ -s "$config" ] && exec sleep 600`;

it('docs/deployment.md: from nothing to a message, and a backup of it', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const admin = new URL(await postgres.createDatabase());
  const ports = await freePorts();
  const folder = await filesOf(ports);
  const host = `localhost:${ports.get('4600')}`;
  const receiver = `http://localhost:${ports.get('9000')}`;
  const mapped = (commands: string): string =>
    commands
      .replaceAll('localhost:9092', inject('kafkaBrokers').join(','))
      .replaceAll('localhost:5432', admin.host)
      .replaceAll(/(?<=localhost:)\d+/g, (port) => ports.get(port) ?? port);

  expect(setUp).toHaveLength(10);
  const [install, , configure, check, start, loop, stopWorker, startWorker, stop, remove] = setUp;
  const [dump, restore] = storage;
  const script = [
    // Kafka, the second block, runs already.
    ...[install, configure, check, start, loop, waitForFile('notified')],
    ...[stopWorker, 'wait %1\n', startWorker, waitForFile('noted'), dump, stop, 'touch stopped\n'],
    ...[
      restore,
      'npx loopwatch server > .loopwatch/server.log &\n',
      waitForFile('restored'),
      'kill %%; wait\n',
    ],
    remove,
  ];
  const prefix = `${uniqueName('deployed')}.`;
  const running = runDocumented(mapped(script.join('')), {
    folder,
    programs: await postgresTools(),
    standIns: { 'prometheus-alertmanager': alertmanager },
    env: {
      PGHOST: admin.hostname,
      PGPORT: admin.port,
      PGUSER: admin.username,
      PGPASSWORD: admin.password,
      LOOPWATCH_KAFKA_TOPICS_PREFIX: prefix,
      LOOPWATCH_KAFKA_GROUP: prefix,
      LOOPWATCH_SERVER_PORT: ports.get('4600')!,
      LOOPWATCH_WORKER_PORT: ports.get('4601')!,
    },
  });
  const goOn = (name: string) => writeFile(join(folder, name), '');
  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const token = await readFile(join(folder, '.loopwatch/api-token'), 'utf8').catch(() => '');
    const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' };
    const answer = await fetch(`http://${host}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      // A server that is still starting refuses the connection.
    }).catch(() => undefined);
    return answer?.ok === true ? answer.json() : undefined;
  };
  /** Names of what a list has; of a list that cannot be read, none. */
  const namesOf = async (path: string, key: string): Promise<unknown[]> => {
    const list = (await request('GET', path)) as { items: Record<string, unknown>[] } | undefined;
    return list?.items.map((item) => item[key]) ?? [];
  };

  await waitFor(async () => (await namesOf('/incidents', 'sessionId')).includes('s-1'));
  const alert = { status: 'firing', annotations: { summary: 'Worker localhost:4601 is down' } };
  await fetch(receiver, { method: 'POST', body: JSON.stringify({ alerts: [alert] }) });
  await goOn('notified');
  // Receivers that are set up while the server runs are only in the database, not in the topics.
  const stored = { name: 'stored', type: 'webhook', url: receiver, secret: 'abc' };
  expect(await request('PUT', '/notifications/stored', stored)).toMatchObject({ name: 'stored' });
  await goOn('noted');
  await waitFor(() => existsSync(join(folder, 'stopped')));
  await waitFor(async () => (await namesOf('/incidents', 'sessionId')).includes('s-1'));
  const receivers = await waitFor(async () => {
    const names = await namesOf('/notifications', 'name');
    return names.includes('terminal') && names;
  });
  await goOn('restored');

  const ran = await running;
  expect(ran.stdout).toMatch(/^coder is looping: read_file /m);
  expect(ran.stdout).toContain('\nAlert, firing: Worker localhost:4601 is down\n');
  expect(ran.nonZero).toEqual([]);
  expect(receivers).toEqual(['terminal', 'stored']);
  expect(existsSync(join(folder, '.loopwatch'))).toBe(false);
});

it('docs/operations.md: a backup of the embedded database and log', async () => {
  const port = String(await freePort());
  const folder = await folderOf({});
  const start = 'npx loopwatch start --no-samples > log &\n';
  const stop = 'kill %%; wait\n';
  const [, , archive = ''] = storage;
  const script = [start, waitForFile('posted'), stop, archive, start, waitForFile('restored'), stop];
  const running = runDocumented(script.join(''), { folder, env: { LOOPWATCH_SERVER_PORT: port } });
  const host = `localhost:${port}`;
  const event = { sessionId: 'kept', type: 'tool_call_request', name: 'read_file' };
  const post = () =>
    fetch(`http://${host}/api/v1/events`, { method: 'POST', body: JSON.stringify(event) }).catch(
      () => undefined,
    );
  await waitFor(async () => (await post())?.status === 202);
  await sessionsAt(host, 1);
  await writeFile(join(folder, 'posted'), '');
  await waitFor(() => existsSync(join(folder, 'loopwatch.tar.gz')));
  expect(await sessionsAt(host, 1)).toEqual({ kept: 0 });
  await writeFile(join(folder, 'restored'), '');
  expect((await running).nonZero).toEqual([]);
});
