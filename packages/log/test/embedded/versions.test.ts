import { join } from 'node:path';
import { removeChecksums } from '@loopwatch/platform';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import type { PartitionTask, StepPosition, TaskLane } from '../../src/index.ts';
import { folder, openLog, publish, topic } from './harness.ts';

interface Opened {
  readonly committed: StepPosition;
  readonly restored: readonly string[];
  readonly lane: TaskLane;
}

/** Opens the log and its task. @returns what it gets, and how it commits */
async function taken(dir: string) {
  const log = await openLog(dir);
  const runner = log.tasks([topic], 'group');
  let resolve: (opened: Opened) => void = () => undefined;
  const opened = new Promise<Opened>((done) => {
    resolve = done;
  });
  await runner.run((_, lane): PartitionTask => {
    const restored: string[] = [];
    return {
      restore: ({ key, value }) => restored.push(`${key}=${value}`),
      replayFrom: ({ position, resumeFrom, rebuildFrom, mark }) => {
        resolve({ committed: { position, resumeFrom, rebuildFrom, mark }, restored, lane });
        return Promise.resolve(resumeFrom);
      },
      replay: () => Promise.resolve(),
      ready: () => undefined,
      process: () => Promise.resolve(),
      close: () => undefined,
    };
  });
  const close = async () => {
    await runner.stop();
    await log.close();
  };
  return { ...(await opened), close };
}

async function inDatabase<T>(dir: string, work: (database: Database.Database) => T): Promise<T> {
  // As every version does, since the file changes when the connection is closed: at some garbage collection.
  await removeChecksums(join(dir, 'log'));
  const database = new Database(join(dir, 'log', 'log.db'));
  const result = work(database);
  database.close();
  return result;
}

const step = { position: 3, resumeFrom: 2, rebuildFrom: 1, mark: { format: 9, since: 0 } };

async function committed(): Promise<string> {
  const dir = await folder();
  const log = await openLog(dir);
  await publish(log, 'a', 'b', 'c', 'd');
  await log.close();
  const { lane, close } = await taken(dir);
  await lane.commit({ ...step, outputs: [], state: [{ key: 'k', value: 'v' }] });
  await close();
  return dir;
}

describe('the embedded log', () => {
  it('keeps what a step commits', async () => {
    const { committed: found, restored, close } = await taken(await committed());
    expect({ found, restored }).toEqual({ found: step, restored: ['k=v'] });
    await close();
  });

  it('downgrade and upgrade: an earlier version resumes where records rebuild everything, and its work counts', async () => {
    const dir = await committed();
    // The statements of that version.
    const resumed = await inDatabase(dir, (database) => {
      const [row] = database.prepare('select id, position, replay_from from tasks').all();
      database.exec(
        `insert into tasks (group_name, topic, position, replay_from) values ('group', '${topic}', 4, 4)
         on conflict do update set position = excluded.position, replay_from = excluded.replay_from`,
      );
      return row;
    });
    expect(resumed).toEqual({ id: 1, position: 3, replay_from: 1 });
    const { committed: found, close } = await taken(dir);
    expect(found).toEqual({ position: 4, resumeFrom: 4 });
    await close();
  });

  it.each([
    ['of 25 November', 'position', 'replay_from'],
    ['of 26 to 28 November', 'next_offset', 'resume_from'],
  ])('upgrade: continues after a version %s', async (_, position, resumeFrom) => {
    const dir = await committed();
    await inDatabase(dir, (database) => {
      database.exec(`drop table tasks; create table tasks (
        id integer primary key, group_name text not null, topic text not null,
        ${position} integer not null, ${resumeFrom} integer not null, unique (group_name, topic)
      ); insert into tasks values (1, 'group', '${topic}', 3, 2)`);
    });
    const { committed: found, restored, lane, close } = await taken(dir);
    expect({ found, restored }).toEqual({ found: { position: 3, resumeFrom: 2 }, restored: ['k=v'] });
    await lane.commit({ ...step, position: 4, outputs: [], state: [] });
    await close();
    const again = await taken(dir);
    expect(again.committed).toEqual({ ...step, position: 4 });
    await again.close();
  });
});
