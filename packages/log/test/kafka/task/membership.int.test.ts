import { topicNames } from '@loopwatch/contract';
import { uniqueName, waitFor } from '@loopwatch/testkit';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { ensureTopics, topicSpecs } from '../../../src/index.ts';
import { isInstanceFenced } from '../../../src/kafka/task/group-requests.ts';
import { type Assignment, joinGroup, type Membership } from '../../../src/kafka/task/membership.ts';

const client = { brokers: inject('kafkaBrokers'), clientId: 'test' };
/** Much longer than the test, so that a member that waits for it fails it. */
const SESSION_TIMEOUT_MS = 60_000;

async function group() {
  const topics = topicNames({ prefix: `${uniqueName('members')}.` });
  await ensureTopics(client, topicSpecs(topics, { partitions: 4, replicationFactor: 1 }));
  const groupId = uniqueName('group');
  /** Joins, and resolves with what the member was given first. */
  return async (instanceId?: string, isSettled = true) => {
    const assigned: number[][] = [];
    const options = {
      ...client,
      topics: [topics.events],
      groupId,
      instanceId,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
    };
    let latest: Assignment | undefined;
    const onAssignment = (assignment: Assignment) => {
      latest = assignment;
      assigned.push(assignment.partitions.map(({ partition }) => partition));
    };
    let member: Membership | undefined;
    // A broker that has just started is still loading its groups.
    await waitFor(async () => {
      member = await joinGroup(options, { onAssignment }, isSettled).catch(() => undefined);
      return member !== undefined;
    });
    if (member === undefined) throw new Error('no member');
    const joined = member;
    onTestFinished(() => joined.leave().catch(() => undefined));
    /** Commits from what the member owns now. */
    const commitsOf = (partition: number) => {
      if (latest === undefined) throw new Error('a member has an assignment');
      const commit = latest.commitsOf({ topic: topics.events, partition });
      return (offset = 7) => commit({ offset: String(offset), metadata: '' });
    };
    const commit = (partition: number) => commitsOf(partition)();
    return { ...member, assigned, commit, commitsOf };
  };
}

it('static membership: a restarted member has its partitions at once, and its predecessor is fenced', async () => {
  const join = await group();
  const other = await join('other');
  const first = await join('worker-0');
  await expect.poll(() => other.assigned.at(-1)).toHaveLength(2);
  const kept = other.assigned.at(-1);
  const second = await join('worker-0');
  expect(second.assigned).toEqual([first.assigned.at(-1)]);
  expect(isInstanceFenced(await first.crashed)).toBe(true);
  expect(other.assigned.at(-1)).toEqual(kept);
});

it('membership: a new member takes partitions from others once it has been in the group for a while', async () => {
  const join = await group();
  const first = await join();
  expect(first.assigned).toEqual([[0, 1, 2, 3]]);
  const second = await join(undefined, false);
  expect(second.assigned).toEqual([[]]);
  expect(first.assigned.at(-1)).toEqual([0, 1, 2, 3]);
  for (const member of [first, second]) await expect.poll(() => member.assigned.at(-1)).toHaveLength(2);
});

it('membership: commits nothing for a partition that another member has taken', async () => {
  const join = await group();
  const first = await join();
  await Promise.all([0, 1, 2, 3].map(first.commit));
  const second = await join();
  await expect.poll(() => first.assigned.at(-1)).toHaveLength(2);
  const [kept = -1] = first.assigned.at(-1) ?? [];
  const [taken = -1] = second.assigned.at(-1) ?? [];
  await first.commit(kept);
  await expect(first.commit(taken)).rejects.toMatchObject({ code: 'partition_lost' });
  await second.commit(taken);
});

it('membership: what began before another member had the partition commits nothing afterwards', async () => {
  const join = await group();
  const first = await join();
  const before = [0, 1, 2, 3].map(first.commitsOf);
  await Promise.all(before.map((commit) => commit()));
  const second = await join();
  await expect.poll(() => first.assigned.at(-1)).toHaveLength(2);
  const [lent = -1] = second.assigned.at(-1) ?? [];
  await second.commit(lent);
  await second.leave();
  await expect.poll(() => first.assigned.at(-1)).toHaveLength(4);
  await expect(before[lent]?.(6)).rejects.toMatchObject({ code: 'partition_lost' });
  await first.commit(lent);
});

it('membership: sends heartbeats although the wall clock was set back by hours', async () => {
  const join = await group();
  const member = await join();
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 8 * 3_600_000);
  onTestFinished(() => clock.mockRestore());
  await member.heartbeat();
  await member.heartbeat();
});
