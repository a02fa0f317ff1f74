import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Random } from '../random.ts';
import { damageLogs } from './damage.ts';
import { faultKinds } from './faults.ts';
import { WorkerLinks } from './worker-links.ts';

describe('the table of faults', () => {
  it('chaos faults: each has a weight, and a bound of at most a minute', () => {
    for (const { weight, bound } of Object.values(faultKinds)) {
      expect(weight).toBeGreaterThan(0);
      expect(bound.ms).toBeGreaterThan(1_000);
      expect(bound.ms).toBeLessThan(60_000);
    }
  });
});

/** A request of this client, as kafkajs sends it. */
function request(client: string): Buffer {
  const head = Buffer.alloc(14);
  head.writeInt16BE(client.length, 12);
  return Buffer.concat([head, Buffer.from(client)]);
}

describe('WorkerLinks', () => {
  const open = (links: WorkerLinks, client: string) => {
    const link = {};
    const passed: string[] = [];
    const sends = links.valve(link, 'requests', (bytes) => passed.push(bytes.toString('utf8').slice(14)));
    const receives = links.valve(link, 'replies', (bytes) => passed.push(bytes.toString()));
    sends(request(client));
    return { passed, receives };
  };

  it('chaos links: holds back what one client sends and receives, and passes it on in order', () => {
    const links = new WorkerLinks();
    const before = open(links, 'worker-1');
    const release = links.hold('worker-1', ['requests', 'replies']);
    const during = open(links, 'worker-1');
    const other = open(links, 'worker-2');
    for (const { receives } of [before, during, other]) receives(Buffer.from('answer'));
    expect([before.passed, during.passed, other.passed]).toEqual([['worker-1'], [], ['worker-2', 'answer']]);
    release();
    expect([before.passed, during.passed]).toEqual([
      ['worker-1', 'answer'],
      ['worker-1', 'answer'],
    ]);
  });

  it('chaos links: holds back only the given direction', () => {
    const links = new WorkerLinks();
    links.hold('worker-1', ['replies']);
    const { passed, receives } = open(links, 'worker-1');
    receives(Buffer.from('answer'));
    expect(passed).toEqual(['worker-1']);
  });
});

describe('damageLogs', () => {
  it('chaos damage: changes the latest files of partitions, and spares older ones and the log of the controllers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loopwatch-damage-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const content = Buffer.alloc(5_000, 'x');
    for (const name of ['chaos.events-0', '__consumer_offsets-1', '__cluster_metadata-0']) {
      await mkdir(join(folder, name));
      for (const file of ['0.log', '9.log', '9.index', '9.timeindex', '9.snapshot'])
        await writeFile(join(folder, name, file), content);
    }
    const random = new Random(1);
    for (let i = 0; i < 20; i += 1) expect(await damageLogs(folder, random)).toBeLessThanOrEqual(8);
    const changed: string[] = [];
    for (const name of await readdir(folder))
      for (const file of await readdir(join(folder, name)))
        if (!(await readFile(join(folder, name, file))).equals(content)) changed.push(`${name}/${file}`);
    const latest = ['9.index', '9.log', '9.snapshot', '9.timeindex'];
    expect(changed.toSorted()).toEqual(
      ['__consumer_offsets-1', 'chaos.events-0'].flatMap((name) => latest.map((file) => `${name}/${file}`)),
    );
  });
});
