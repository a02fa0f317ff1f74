import * as z from 'zod';
import { detectionSchema } from './detection-schema.ts';
import { presetNames } from './detection-settings.ts';
import { checkKafkaSecurity, kafkaSecuritySettings } from './kafka-security.ts';
import { notificationsSchema } from './notification-settings.ts';
import { oidcSettingsSchema } from './oidc-settings.ts';
import { schemaRegistrySettings } from './schema-registry-settings.ts';
import { sourceSettingsSchema, topicNames, topicSettingsSchema } from './topics.ts';

/** A URL with placeholders for topic, partition and offset of a record; only the topic is required. */
function isRecordLink(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && text.includes('{topic}');
}

const baseUrlRule = 'must have no user name, query or fragment: requests would go without them';

function isBaseUrl(text: string): boolean {
  return !/^https?:\/\/(?:[^/]*@|[^?#]*[?#])/i.test(text);
}

const brokerRule =
  'must be host:port, such as kafka-1:9092, with a port from 1 to 65535; an IPv6 address is in brackets, such as [::1]:9092';

function isBroker(text: string): boolean {
  const [, port] = /^(?:\[[\da-f:.]+(?:%\w+)?\]|[^\s:/[\]@,]+):(\d{1,5})$/i.exec(text) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
}

/** A number of proxies, an address, an address range, or one of Express's names for ranges. */
const proxyPattern = /^(?:\d{1,2}|loopback|linklocal|uniquelocal|[\d.]+(?:\/[\d.]+)?|[\da-f:]+(?:\/\d+)?)$/i;

/**
 * The schema of all settings. The YAML file, environment variables, flags, control events and the API are checked
 * against it. `setting-texts.ts` describes each key.
 */
export const settingsSchema = z.strictObject({
  ...detectionSchema.shape,
  kafka: z
    .strictObject({
      brokers: z.array(z.string().min(1).refine(isBroker, brokerRule)).default([]),
      client_id: z.string().min(1).default('loopwatch'),
      group: z.string().min(1).default('loopwatch-worker'),
      instance_id: z.string().min(1).max(249).optional(),
      partitions: z.int().min(1).default(6),
      replication_factor: z.int().min(1).optional(),
      delivery: z.enum(['exactly_once', 'at_least_once']).default('exactly_once'),
      compression: z.enum(['none', 'gzip', 'snappy', 'lz4', 'zstd']).default('none'),
      topics: topicSettingsSchema.prefault({}),
      sources: sourceSettingsSchema.default({}),
      schema_registry: schemaRegistrySettings.prefault({}),
      ...kafkaSecuritySettings,
    })
    .superRefine(checkKafkaSecurity)
    .superRefine(({ topics, sources }, context) => {
      for (const [role, name] of Object.entries(topicNames(topics))) {
        if (!Object.hasOwn(sources, name)) continue;
        const message = `is Loopwatch's own topic of ${role}; a source must be a topic of another producer`;
        context.addIssue({ code: 'custom', path: ['sources', name], message });
      }
    })
    .prefault({}),
  llm: z
    .strictObject({
      base_url: z.url({ protocol: /^https?$/ }).optional(),
      api_key: z.string().min(1).optional(),
      model: z.string().min(1).optional(),
      second_model: z.string().min(1).optional(),
    })
    .prefault({}),
  worker: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(4601),
      replay_reach: z.int().min(1).max(1_000_000).default(100_000),
    })
    .prefault({}),
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(4600),
      otlp_grpc_port: z.int().min(0).max(65_535).optional(),
      allow_anonymous: z.boolean().default(false),
      public_url: z.url({ protocol: /^https?$/ }).optional(),
      allowed_hosts: z.array(z.string().min(1)).default([]),
      trust_proxy: z.array(z.string().regex(proxyPattern)).default([]),
      grafana_url: z.url({ protocol: /^https?$/ }).optional(),
      kafka_ui_url: z
        .string()
        .refine(isRecordLink, 'must be an http or https URL that contains {topic}')
        .optional(),
      oidc: oidcSettingsSchema.prefault({}),
    })
    .prefault({}),
  notifications: notificationsSchema.default([]),
  gateway: z
    .strictObject({
      upstream: z
        .url({ protocol: /^https?$/ })
        .refine(isBaseUrl, baseUrlRule)
        .optional(),
      host: z.string().default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(4610),
      preset: z.enum(presetNames).optional(),
      backend: z.string().min(1).optional(),
      on_block: z.enum(['error', 'message']).optional(),
      guidance_as: z.enum(['tool', 'assistant']).optional(),
      enforce_streams: z.boolean().default(true),
      commands: z.boolean().default(true),
      publish_events: z.boolean().default(true),
      store_messages: z.boolean().default(true),
      connect_timeout_seconds: z.number().positive().max(3600).default(10),
      response_timeout_seconds: z.number().positive().max(86_400).default(600),
      stall_timeout_seconds: z.number().positive().max(86_400).default(120),
      drain_seconds: z.number().nonnegative().max(3600).default(20),
      max_request_bytes: z.int().min(1024).default(33_554_432),
      max_held_bytes: z.int().min(1024).default(8_388_608),
      max_sessions: z.int().min(1).default(10_000),
      max_buffered_records: z.int().min(1).default(100_000),
    })
    .prefault({}),
  storage: z
    .strictObject({
      data_dir: z.string().min(1).default('.loopwatch'),
      database_url: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
      retention_days: z.number().positive().nullable().default(30),
      retention_megabytes: z.number().min(16).nullable().default(4096),
      log_retention_megabytes: z.number().min(1).default(256),
      log_max_megabytes: z.number().min(64).default(1024),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      format: z.enum(['auto', 'json', 'pretty']).default('auto'),
    })
    .prefault({}),
});

/** The whole effective configuration. */
export type Settings = z.infer<typeof settingsSchema>;
