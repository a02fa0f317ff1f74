import type { z } from 'zod';
import { type DetectorId, detectorFacts, toolCallLimitTexts } from '../verdicts/detectors.ts';
import type { settingsSchema } from './settings.ts';

/**
 * What each setting means. The texts stand apart from the schema because detection carries that into browsers, where
 * they are never shown; their type is made of the schema's, so that a setting without a text does not compile.
 */

/** Texts are a tree of the schema's shape; `about` is said of the block itself, `each` of any name in a record. */
type TextOf<T> = T extends readonly unknown[]
  ? string
  : T extends object
    ? string extends keyof T
      ? { readonly about: string; readonly each: TextOf<T[keyof T]> }
      : { readonly about?: string } & { readonly [K in keyof T]-?: TextOf<NonNullable<T[K]>> }
    : string;

type Facts = typeof detectorFacts;

/** Of each detector's block. */
const { semantic, ...detectors } = Object.fromEntries(
  Object.values(detectorFacts).map(({ block, settings }) => [block, settings]),
) as { readonly [Id in DetectorId as Facts[Id]['block']]: Facts[Id]['settings'] };

const toolContract = {
  identity: 'The arguments that make a call what it is. Default: all.',
  volatile: 'Arguments that never make a difference.',
  poller: 'Asking again is its purpose. Default: by its name, its command and what it answers.',
  mutating: 'It changes the world. Default: by its agent, its command and its name.',
  gui: 'It operates an interface, where the first try may not do. Default: by its agent and its name.',
};

/** What can differ by model; whose a budget is, cannot. */
const { per: _per, ...modelBudget } = detectors.budget;

const rules = {
  enabled: 'false: every detector is skipped.',
  preset: 'Where the numbers that are not set come from.',
  ...detectors,
  per_tool: { about: 'What is declared of tools, by name.', each: toolContract },
};

export const settingTexts: TextOf<z.input<typeof settingsSchema>> = {
  ...rules,
  stopped:
    'true: the session must not go on. Gateways, hooks and guards deny every call of it until this is unset.',
  agents: {
    about: 'What is known of agents, by the name that events give as agent; adds to what ships.',
    each: {
      names: 'Other names of the same agent.',
      tools: { about: 'As per_tool, for this agent; per_tool wins.', each: toolContract },
      result_noise:
        'Texts that results carry and that mean nothing. {number}, {word}, {line} and {text} stand for what differs.',
      not_run: 'Whole results that only say that a call was not run.',
      harness_prompts: 'Prompts that the harness writes, and no person.',
    },
  },
  prices: {
    about: 'US dollars for a million tokens, by the name of the model; wins over the table that ships.',
    each: {
      input: 'Tokens of the prompt.',
      output: 'Tokens of the answer, reasoning included.',
      cached_input: 'Tokens of the prompt that came from the cache; default: as input.',
      cache_write: 'Tokens of the prompt that were written to the cache; default: as input.',
    },
  },
  semantic: {
    ...semantic,
    second_opinion: 'llm.second_model has to confirm a loop.',
    max_concurrent: 'Calls of a model at the same time, in one process.',
    per_minute: 'Calls of a model in a minute, in one process.',
    per_session: 'Calls of a model for one session.',
    timeout_seconds: 'For one call of a model.',
    max_characters: 'What the model is shown of a session, at most.',
  },
  overrides: {
    models: {
      about: 'Detection settings by backend/model, above those of the server.',
      each: {
        ...rules,
        budget: modelBudget,
        semantic,
        tool_loop_detection_enabled: toolCallLimitTexts.enabled,
        tool_loop_detection_max_repeats: toolCallLimitTexts.max_repeats,
        tool_loop_detection_ttl_seconds: toolCallLimitTexts.ttl_seconds,
        tool_loop_detection_mode: toolCallLimitTexts.mode,
      },
    },
  },
  session: {
    idle_seconds: 'After a longer pause the session restarts.',
    max_sessions: 'Sessions kept in memory in one process, at most; fewer where the heap has no room.',
  },
  privacy: {
    mask: 'Further regular expressions whose matches are masked: JavaScript’s with flag u, without look-arounds and back references.',
    store_text: 'false: verdicts, and messages that the gateway stores, carry no arguments and no text.',
  },
  kafka: {
    brokers: 'host:port of the bootstrap brokers.',
    client_id: "Named in the brokers' logs.",
    group: 'Consumer group of the workers.',
    partitions: 'Of topics that `loopwatch topics` creates.',
    replication_factor: 'Default: 3, or the number of brokers if fewer.',
    delivery:
      'exactly_once: verdicts and positions in one transaction. at_least_once: a little earlier, after a crash some twice, with the same ids.',
    topics: {
      prefix: 'Put before each topic name.',
      events: 'Events in. Default: <prefix>events',
      verdicts: 'Verdicts out. Default: <prefix>verdicts',
      sessions: 'Compacted session summaries. Default: <prefix>sessions',
      control: 'Compacted settings per scope. Default: <prefix>control',
      checks: 'Compacted answers of the semantic layer. Default: <prefix>checks',
      'dead-letters': 'Records that could not be read. Default: <prefix>dead-letters',
      state: 'Compacted state of the workers, for a quick takeover. Default: <prefix>state',
      triage: 'Compacted decisions of people about incidents. Default: <prefix>triage',
    },
    sources: {
      about:
        'Topics of other producers, by name, whose records workers write to the events, keyed by session.',
      each: {
        format: 'Format of the records; auto tells it by each record.',
        format_header: 'Header that names the format of a record; wins over format.',
      },
    },
    security_protocol: 'Whether there is TLS (…SSL) and a login (SASL_…).',
    sasl: {
      mechanism: 'How the password is proven. PLAIN sends it as it is: only over TLS.',
      username: 'Who logs in.',
      password: 'Better from the environment or a file than from here.',
      password_file: 'File that holds the password.',
    },
    ssl: {
      ca_file:
        'Certificates (PEM) of the authorities that may sign the brokers’. Default: those that Node knows.',
      cert_file:
        'Certificate (PEM) of this client, with those between it and its authority, if brokers want one.',
      key_file: 'Its private key (PEM).',
      key_password: 'Of an encrypted key.',
      key_password_file: 'File that holds that password.',
      verify_hostname: 'false: a broker’s certificate may be for another name than its address.',
    },
  },
  llm: {
    base_url: 'Of an API that speaks like OpenAI’s, up to and with /v1. Default: OpenAI’s own.',
    api_key: 'Sent with each call. Not needed by most local servers.',
    model: 'The model that judges; none: the semantic layer is off.',
    second_model: 'A stronger model that confirms a loop.',
  },
  worker: {
    host: '0.0.0.0 to be reached from other machines: anyone who can reach the port can read health and metrics.',
    port: 'Health and metrics.',
    workers: 'Processes on this machine that share the partitions.',
    replay_reach:
      'Records of a partition that a takeover reads again, at most about so many, and no more than half a second of work; sessions that reach back further are kept in the state topic.',
  },
  server: {
    host: '0.0.0.0 to be reached from other machines, which takes a login, or allow_anonymous.',
    port: 'Dashboard and API.',
    allow_anonymous:
      'true: serve without a login even where other machines can reach the server; any client may do everything.',
    public_url: 'Address of the dashboard as browsers know it.',
    allowed_hosts:
      'Names that the server is reached by beside localhost, addresses, host and public_url; .acme.example stands for all below it, * for all.',
    trust_proxy:
      'Proxies whose x-forwarded-… headers count: their number, or addresses, ranges (10.0.0.0/8), loopback, uniquelocal.',
    grafana_url: 'Address of the dashboard in Grafana; pages link to it with their time.',
    kafka_ui_url:
      'Address of a record in a web interface of Kafka, with {topic}, {partition} and {offset} where these belong; incidents link to theirs.',
    oidc: {
      about: 'Logins by an OpenID Connect provider.',
      issuer: 'Address of the provider, as in its discovery document. None: no such logins.',
      client_id: 'Of the client that is registered there.',
      client_secret: 'Its secret; better from the environment or a file than from here.',
      client_secret_file: 'File that holds the secret.',
      name: 'On the button: Log in with ….',
      scope: 'Asked for; what brings the claim of roles has to be in it.',
      role_claim: 'Claim of the ID token that holds the user’s roles, as a dotted path: realm_access.roles.',
      operators: 'Values of that claim that make an operator.',
      viewers: 'Values of that claim that make a viewer.',
      default_role: 'What anybody else is who can log in there.',
      public_url: 'Where the provider leads back to. Default: server.public_url, or as each request says.',
    },
  },
  notifications: 'Where messages about incidents go; docs/notifications.md shows each type.',
  gateway: {
    upstream:
      'API that requests go on to, up to and with /v1: https://api.openai.com/v1. None: `start` runs no gateway.',
    host: '0.0.0.0 to be reached from other machines. Clients use the upstream with their own key.',
    port: 'The API, health and metrics.',
    preset: 'What the gateway detects by. Default: preset, where that is set; else proxy.',
    backend:
      'Name of the upstream in logs, verdicts and overrides.models. Default: openai, or anthropic for /v1/messages.',
    on_block:
      'error: the user gets an error. message: an assistant message stands in place of the call. Default: message where calls are matched by similarity, else error.',
    guidance_as:
      'Who a model hears guidance from: the tool, as a failure, or the assistant itself. Default: assistant where on_block is message by default, else tool.',
    enforce_streams: 'false: streamed answers are watched, but neither held back nor stopped.',
    commands: 'false: !/set, !/unset and !/help are ordinary text.',
    publish_events: 'false: neither events nor verdicts are written to the event log.',
    store_messages: 'false: no messages are stored in the database; privacy holds for those that are.',
    connect_timeout_seconds: 'Until a connection to the upstream stands.',
    response_timeout_seconds: 'From the request sent to the first byte of the answer.',
    stall_timeout_seconds: 'Pause within an answer, at most.',
    max_request_bytes: 'Larger requests are refused with 413.',
    max_held_bytes: 'Of one answer while it is judged; a larger one goes on unjudged, and is counted.',
    max_sessions: 'Sessions kept in memory; the one unused for longest goes first.',
    max_buffered_records:
      'Kept while the event log, or the database, cannot be reached; beyond, the oldest are dropped and counted.',
  },
  storage: {
    data_dir: 'Folder of the embedded log and database.',
    database_url: 'A PostgreSQL server in place of the embedded database, which only one process can use.',
    retention_days: 'Verdicts, incidents, sessions and messages older than this are removed; null: no limit.',
    retention_megabytes: 'When the tables take more, the oldest are removed; null: no limit.',
  },
  log: {
    level: 'Least important entries that are written.',
    format: 'auto: pretty on a terminal.',
  },
};

/** What a setting means, by its dotted path; empty for what is no setting. Any name does for that of a record. */
export function settingText(path: string): string {
  let place: unknown = settingTexts;
  for (const key of path.split('.')) place = partOf(place, key);
  const text = typeof place === 'string' ? place : partOf(place, 'about');
  return typeof text === 'string' ? text : '';
}

function partOf(texts: unknown, key: string): unknown {
  if (typeof texts !== 'object' || texts === null) return undefined;
  const block = texts as Readonly<Record<string, unknown>>;
  return Object.hasOwn(block, key) ? block[key] : block['each'];
}
