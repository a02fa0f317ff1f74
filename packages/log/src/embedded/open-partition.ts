import { messageOf } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import type { Step, TaskObserver } from '../port/task.ts';
import type { OpenPartition } from '../port/task-loop.ts';
import type { TopicLog } from './topic.ts';
import { TopicCursor } from './topic-reader.ts';
import type { EmbeddedTopics } from './topics.ts';

/** How a group processes topics of the embedded log. */
export interface EmbeddedGroup {
  readonly group: string;
  readonly topics: EmbeddedTopics;
  readonly observer: TaskObserver;
  readonly log: LogFunction | undefined;
}

/** Opens a topic, which is a single partition, for its group. */
export class EmbeddedPartitions {
  readonly #group: EmbeddedGroup;
  /** Topics whose latest commit failed. */
  readonly #failing = new Set<string>();

  constructor(group: EmbeddedGroup) {
    this.#group = group;
  }

  async open(topic: TopicLog, signal: AbortSignal): Promise<OpenPartition> {
    const { group, topics, log, observer } = this.#group;
    // A step whose sync failed may have been committed nevertheless.
    await topics.sync();
    const saved = await topics.progress(group, topic.name);
    const position = positionIn(topic, saved?.position, log);
    const resumeFrom = Math.min(saved?.resumeFrom ?? position, position);
    topic.hold(this, position, resumeFrom);
    const cursor = new TopicCursor(topic, signal, log, observer);
    let from = resumeFrom;
    return {
      position,
      resumeFrom,
      rebuildFrom: saved?.rebuildFrom,
      mark: saved?.mark,
      saved: saved?.state ?? new Map(),
      start: (offset) => {
        from = Math.max(offset, topic.start);
        return Promise.resolve();
      },
      next: async () => {
        await topics.waitForRoom(topic, signal);
        const records = await cursor.next(from);
        const last = records.at(-1);
        if (last === undefined) return undefined;
        from = last.offset + 1;
        return { records, next: from, lag: topic.end - from };
      },
      write: (step) => this.#write(topic, step),
      close: () => Promise.resolve(),
    };
  }

  async #write(topic: TopicLog, step: Step): Promise<void> {
    const { group, topics, observer } = this.#group;
    try {
      await topics.commit(group, topic.name, step);
    } catch (error) {
      if (!this.#failing.has(topic.name)) observer.onConnection?.('down', messageOf(error));
      this.#failing.add(topic.name);
      throw error;
    }
    topic.hold(this, step.position, step.resumeFrom);
    if (this.#failing.delete(topic.name)) observer.onConnection?.('up');
  }
}

/** The offset to process from: the committed one, clamped to the records that the topic holds. */
function positionIn({ name, start, end }: TopicLog, committed = 0, log?: LogFunction): number {
  if (committed > end) {
    const lost = { topic: name, partition: 0, committed, end };
    log?.('error', 'The topic ends before the committed offset: records were lost', lost);
  }
  return Math.max(start, Math.min(committed, end));
}
