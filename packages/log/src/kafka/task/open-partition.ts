import type { LogFunction } from '@loopwatch/platform';
import type { StateChange, StepPosition, TopicPartition } from '../../port/task.ts';
import type { OpenPartition } from '../../port/task-loop.ts';
import type { KafkaFetcher } from '../fetch/fetcher.ts';
import { listBounds, listOffset } from '../fetch/offsets.ts';
import type { PartitionStream } from '../fetch/partition-stream.ts';
import type { KafkaCluster } from '../internals/cluster.ts';
import { topicIdOf } from '../internals/topic-id.ts';
import { committedPosition, type KafkaState } from './state.ts';
import type { StepWriter } from './step-writer.ts';

export interface KafkaPartitionContext {
  readonly groupId: string;
  readonly cluster: KafkaCluster;
  readonly fetcher: KafkaFetcher;
  readonly log: LogFunction | undefined;
  readonly state: KafkaState;
  readonly writer: StepWriter;
}

/** Takes a partition over from its previous owner. @param signal ends reading */
export async function openKafkaPartition(
  { topic, partition }: TopicPartition,
  { groupId, cluster, fetcher, log, state, writer }: KafkaPartitionContext,
  signal: AbortSignal,
): Promise<OpenPartition> {
  try {
    const topicId = await topicIdOf(cluster, { topic, partition });
    // Fence first: the previous owner can commit nothing after this.
    await writer.open(topicId);
    const found = await committedPosition(cluster, groupId, { topic, partition });
    const isRecreated = found?.topicId !== undefined && topicId !== undefined && found.topicId !== topicId;
    if (isRecreated)
      log?.('warn', 'The topic was deleted and created again: reading it from its beginning', {
        topic,
        partition,
      });
    const committed = isRecreated ? undefined : found;
    const saved = await state.read(fetcher);
    const position = await positionIn(cluster, { topic, partition }, committed?.position, log);
    const known = committed?.step;
    const resumeFrom = Math.min(known?.resumeFrom ?? position, position);
    // Without our metadata, the saved state does not belong to the position: delete it with the first step.
    const isForeign = known === undefined;
    const stale: StateChange[] = isForeign ? [...saved.keys()].map((key) => ({ key, value: null })) : [];
    const opened: StepPosition = { ...known, position, resumeFrom };
    let previous = isForeign ? undefined : opened;
    let stream: PartitionStream | undefined;
    return {
      ...opened,
      saved: isForeign ? new Map() : saved,
      start: async (offset) => {
        const isReplay = offset < position;
        const first = isReplay ? await listOffset(cluster, topic, partition, true) : offset;
        const reading = await fetcher.open(topic, partition, Math.max(offset, first), topicId);
        stream = reading;
        if (signal.aborted) reading.close();
        else signal.addEventListener('abort', () => reading.close(), { once: true });
      },
      ahead: () => stream?.bounds && aheadOf(stream.bounds),
      next: () => stream?.next() ?? Promise.resolve(undefined),
      write: async (step) => {
        await writer.write({ ...step, state: [...stale.splice(0), ...step.state] }, previous);
        previous = positionOf(step);
      },
      close: () => writer.close(),
    };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function aheadOf({ highWatermark, lastStableOffset }: NonNullable<PartitionStream['bounds']>) {
  const isOpen = lastStableOffset < highWatermark;
  const waitsFor = `a producer has not ended its transaction, which began at offset ${lastStableOffset}; if it never does, end it with kafka-transactions.sh`;
  return { end: highWatermark, waitsFor: isOpen ? waitsFor : undefined };
}

/** Without the outputs, which need not stay in memory. */
function positionOf({ position, resumeFrom, rebuildFrom, mark }: StepPosition): StepPosition {
  return { position, resumeFrom, rebuildFrom, mark };
}

/** The offset to process from: the committed one, or the nearest that there is, if records were lost. */
async function positionIn(
  cluster: KafkaCluster,
  { topic, partition }: TopicPartition,
  committed: number | undefined,
  log: LogFunction | undefined,
): Promise<number> {
  if (committed === undefined) return listOffset(cluster, topic, partition, true);
  const { start, end } = await listBounds(cluster, { topic, partition });
  if (committed > end) {
    const lost = { topic, partition, committed, end };
    log?.('error', 'The partition ends before the committed offset: records were lost', lost);
    return end;
  }
  if (committed < start) {
    const lost = { topic, partition, committed, start, lost: start - committed };
    log?.('error', `${start - committed} records were deleted from the topic before they were read`, lost);
    return start;
  }
  return committed;
}
