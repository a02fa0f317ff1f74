import { type Settings, topicNames } from '@loopwatch/contract';
import {
  createKafkaTaskRunner,
  createKafkaTopicReader,
  requireRights,
  type TaskRunner,
  type TopicReader,
} from '@loopwatch/log';
import type { Sources } from '@loopwatch/worker';
import type { Logger } from 'pino';
import { longRunningKafkaOptions } from './options.ts';
import { neededRights, sourceGroup } from './rights.ts';
import { schemaDecoder } from './schema-registry.ts';

/** What a worker reads from Kafka. */
export interface WorkerInputs {
  /** Partitions of the events topic, shared by the consumer group. */
  readonly events: TaskRunner;
  /** Topics of other producers, if any are configured. */
  readonly sources?: Sources | undefined;
  /** Settings that change while workers run. */
  readonly control: TopicReader;
}

/** The inputs start only if the Kafka user has every permission that a worker needs. */
export function workerInputs(settings: Settings, logger: Logger): WorkerInputs {
  const topics = topicNames(settings.kafka.topics);
  const options = longRunningKafkaOptions(settings, logger);
  const { group, delivery, sources, instance_id: instanceId } = settings.kafka;
  const runner = (names: readonly string[], groupId: string) =>
    createKafkaTaskRunner({
      ...options,
      topics: names,
      stateTopic: topics.state,
      groupId,
      delivery,
      instanceId,
    });
  const events = runner([topics.events], group);
  const names = Object.keys(sources);
  const control = createKafkaTopicReader({ ...options, topic: topics.control });
  const rights = neededRights(settings).filter(({ neededBy }) => neededBy.includes('worker'));
  let checked: Promise<void> | undefined;
  const check = () => (checked ??= requireRights(options, `watch ${topics.events}`, rights));
  return {
    events: {
      run: async (open, observer) => {
        await check();
        await events.run(open, observer);
      },
      positions: () => events.positions(),
      stop: () => events.stop(),
    },
    ...(names.length > 0 && {
      sources: {
        runner: runner(names, sourceGroup(group)),
        settings: sources,
        decoder: schemaDecoder(settings, logger),
      },
    }),
    control: {
      run: async (handler) => {
        await check();
        await control.run(handler);
      },
      stop: () => control.stop(),
    },
  };
}
