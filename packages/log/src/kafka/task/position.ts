import type { Place, Step } from '../../port/task.ts';
import type { KafkaCluster } from '../internals/cluster.ts';

/** What a group has committed for a partition. */
export interface CommittedPosition {
  /** The offset of the next record to process. */
  readonly position: number;
  /** From where on records are needed to rebuild what the task had in memory; `undefined` when another client committed. */
  readonly resumeFrom: number | undefined;
}

/** What is committed beside an offset: brokers keep up to 4,096 bytes of text. */
export function metadataOf({ resumeFrom }: Pick<Step, 'resumeFrom'>): string {
  return JSON.stringify({ v: 1, resumeFrom });
}

/** @returns `undefined` when the group has committed nothing for the partition */
export async function committedPosition(
  cluster: KafkaCluster,
  groupId: string,
  { topic, partition }: Place,
): Promise<CommittedPosition | undefined> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const { responses } = await coordinator.offsetFetch({
    groupId,
    topics: [{ topic, partitions: [{ partition }] }],
  });
  const found = responses[0]?.partitions[0];
  const position = Number(found?.offset ?? -1);
  if (found === undefined || position < 0) return undefined;
  return { position, resumeFrom: resumeFromOf(found.metadata) };
}

/** An offset set by hand has another text or none: what was kept does not belong to it. */
function resumeFromOf(metadata: string | null): number | undefined {
  try {
    const value: unknown = JSON.parse(metadata ?? '');
    if (typeof value !== 'object' || value === null || !('resumeFrom' in value)) return undefined;
    const { resumeFrom } = value;
    return typeof resumeFrom === 'number' && Number.isSafeInteger(resumeFrom) && resumeFrom >= 0
      ? resumeFrom
      : undefined;
  } catch {
    return undefined;
  }
}
