import {
  deadLetterHeaders,
  deadLetterReasons,
  defaultTopicPrefix,
  type TopicRole,
  topicNames,
  topicRoles,
  topicSettingsSchema,
} from '@loopwatch/contract';
import { muteRecordSchema, triageRecordSchema } from '@loopwatch/contract/api';
import { settingText } from '@loopwatch/contract/internal';
import * as z from 'zod';
import { eventExamples, verdictExamples } from './examples.ts';
import { eventParts, type Json, payloadSchema, without } from './json-schemas.ts';

/** The AsyncAPI document: the topics, their records, and which process writes or reads them. */

interface Channel {
  readonly message: Json;
  readonly key: string;
  readonly compacted?: boolean;
  /** The action of the worker, or of the server if `by` says so. */
  readonly worker: 'send' | 'receive';
  readonly by?: 'server';
  readonly description: string;
}

const channels: Readonly<Record<TopicRole, Channel>> = {
  events: {
    message: {
      payload: { $ref: '#/components/schemas/event' },
      examples: Object.entries(eventExamples).map(([name, payload]) => ({ name, payload })),
    },
    key: 'The session id, so that one partition contains a session in order.',
    worker: 'receive',
    description: 'Analyzes the events of agents.',
  },
  verdicts: {
    message: {
      payload: { $ref: '#/components/schemas/verdict' },
      examples: verdictExamples.map((payload) => ({ name: payload.phase, payload })),
    },
    key: 'The session id.',
    worker: 'send',
    description: 'Publishes verdicts, in one transaction with the offset of the event.',
  },
  sessions: {
    message: { payload: { $ref: '#/components/schemas/sessionSummary' } },
    key: 'The session id.',
    compacted: true,
    worker: 'send',
    description:
      'Publishes the state of each session, in the transaction of its verdicts; a tombstone when the session expires.',
  },
  control: {
    message: { payload: { $ref: '#/components/schemas/control' } },
    key: 'The scope: `server`, `model:<backend>/<model>` or `session:<id>`.',
    compacted: true,
    worker: 'receive',
    description: 'Applies settings of servers, models and sessions between two batches.',
  },
  checks: {
    message: { payload: { $ref: '#/components/schemas/check' } },
    key: 'The id of the check.',
    compacted: true,
    worker: 'send',
    description:
      'Publishes the results of semantic checks, with the verdicts that follow; a tombstone when the session expires.',
  },
  'dead-letters': {
    message: {
      contentType: 'application/octet-stream',
      headers: { $ref: '#/components/schemas/deadLetterHeaders' },
      payload: { description: 'The bytes of the original record, unchanged.' },
    },
    key: 'The key of the original record.',
    worker: 'send',
    description: 'Publishes records that could not be processed.',
  },
  state: {
    message: { payload: { description: 'Internal to the workers; the format changes between versions.' } },
    key: 'Group, topic, partition, and the name of the state.',
    compacted: true,
    worker: 'send',
    description:
      'Saves what a takeover needs besides a short replay: snapshots of long sessions, and effective settings.',
  },
  triage: {
    message: { payload: { $ref: '#/components/schemas/triage' } },
    key: 'The id of the incident; for a mute rule, `mute:<id>`.',
    compacted: true,
    worker: 'send',
    by: 'server',
    description: 'Publishes triage and mute rules, so that a database can be rebuilt.',
  },
};

const names = topicNames(topicSettingsSchema.parse({}));
const bindingVersion = '0.5.0';

export function asyncApiDocument(version: string): Json {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Loopwatch',
      version,
      description: `Loopwatch reads events of AI agents from Kafka and writes verdicts back. Topic names are configurable (\`kafka.topics\`); those shown have the prefix \`${defaultTopicPrefix}\`.`,
      contact: { name: 'Loopwatch', url: 'https://github.com/loopwatch/loopwatch' },
      tags: [{ name: 'agents' }, { name: 'loops' }],
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      kafka: {
        host: '{bootstrap}',
        protocol: 'kafka',
        description: 'The cluster named by `kafka.brokers` or `KAFKA_BROKERS`.',
        variables: {
          bootstrap: { default: 'localhost:9092', description: 'host:port of a bootstrap broker' },
        },
      },
    },
    channels: byRole(channelObject),
    operations: Object.assign({}, ...topicRoles.map(operationObject)) as Json,
    components: { messages: byRole(messageObject), schemas: schemas() },
  };
}

function byRole(make: (role: TopicRole) => Json): Json {
  return Object.fromEntries(topicRoles.map((role) => [role, make(role)]));
}

function channelObject(role: TopicRole): Json {
  const { compacted } = channels[role];
  return {
    address: names[role],
    description: `${descriptionOf(role)}.`,
    servers: [{ $ref: '#/servers/kafka' }],
    messages: { [role]: { $ref: `#/components/messages/${role}` } },
    ...(compacted === true && {
      bindings: { kafka: { topicConfiguration: { 'cleanup.policy': ['compact'] }, bindingVersion } },
    }),
  };
}

/** The description of the topic setting, without the default name. */
function descriptionOf(role: TopicRole): string {
  const description = settingText(`kafka.topics.${role}`);
  return description.split(/\.\s/)[0] ?? description;
}

function messageObject(role: TopicRole): Json {
  const { message, key } = channels[role];
  return {
    name: role,
    ...message,
    bindings: { kafka: { key: { type: 'string', description: key }, bindingVersion } },
  };
}

function operationObject(role: TopicRole): Json {
  const { worker, description, by = 'worker' } = channels[role];
  return {
    [`${by}-${worker}-${role}`]: {
      action: worker,
      description,
      channel: { $ref: `#/channels/${role}` },
      messages: [{ $ref: `#/channels/${role}/messages/${role}` }],
    },
  };
}

function schemas(): Json {
  const { root, parts } = eventParts('#/components/schemas/event.', 'draft-7');
  return {
    event: root,
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [`event.${name}`, part])),
    // The messages carry the examples.
    verdict: without(payloadSchema('verdict', 'draft-7'), 'examples'),
    sessionSummary: payloadSchema('session-summary', 'draft-7'),
    control: payloadSchema('control', 'draft-7'),
    check: payloadSchema('check', 'draft-7'),
    triage: without(
      z.toJSONSchema(z.union([triageRecordSchema, muteRecordSchema]), { target: 'draft-7' }),
      '$schema',
    ),
    deadLetterHeaders: {
      type: 'object',
      description: 'Added to the headers of the original record.',
      properties: Object.fromEntries(
        Object.entries(deadLetterHeaders).map(([key, header]) => [header, headerSchema(key)]),
      ),
      required: Object.values(deadLetterHeaders),
    },
  };
}

function headerSchema(key: string): Json {
  return key === 'code' ? { type: 'string', enum: Object.keys(deadLetterReasons) } : { type: 'string' };
}
