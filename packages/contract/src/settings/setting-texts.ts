import type * as z from 'zod';
import { type DetectorId, detectorFacts, toolCallLimitTexts } from '../verdicts/detectors.ts';
import type { settingsSchema } from './settings.ts';

/**
 * What each setting means. The texts are separate from the schema because the detection library ships the schema to
 * browsers, which never show them. Their type derives from the schema's, so a setting without a text does not compile.
 */

/** Texts form a tree of the schema's shape. `about` describes a block itself, `each` the entries of a record. */
type TextOf<T> = T extends readonly unknown[]
  ? string
  : T extends object
    ? string extends keyof T
      ? { readonly about: string; readonly each: TextOf<Exclude<T[keyof T], number | undefined>> } & {
          readonly [K in keyof T as string extends K ? never : K]-?: string;
        }
      : { readonly about?: string } & { readonly [K in keyof T]-?: TextOf<NonNullable<T[K]>> }
    : string;

type Facts = typeof detectorFacts;

/** The settings block of each detector. */
const { semantic, ...detectors } = Object.fromEntries(
  Object.values(detectorFacts).map(({ block, settings }) => [block, settings]),
) as { readonly [Id in DetectorId as Facts[Id]['block']]: Facts[Id]['settings'] };

const toolContract = {
  identity: 'Arguments that identify a call. Default: all.',
  volatile: 'Arguments to ignore when calls are compared.',
  poller: 'Whether the tool is meant to be polled. Default: inferred from its name, command and results.',
  mutating: 'Whether the tool changes state. Default: inferred from the agent, the command and its name.',
  gui: 'Whether the tool operates a user interface, where a first attempt may have no effect. Default: inferred from the agent and its name.',
};

/** What can differ by model; the scope of a budget cannot. */
const { per: _per, ...modelBudget } = detectors.budget;

const rules = {
  enabled: 'Off: disables all detection.',
  stop_after_denials:
    'After this many denied calls of one loop, the turn ends: hooks, guards and decide answer the last of them with stop.',
  on_budget:
    'What happens when a budget or the limit of model requests is used up. stop: the turn ends. ask: an agent that can ask its user does so before the call; others end the turn.',
  preset: 'Supplies every detection setting that is not set explicitly.',
  ...detectors,
  per_tool: { about: 'Properties of tools, by tool name.', each: toolContract },
};

export const settingTexts: TextOf<z.input<typeof settingsSchema>> = {
  ...rules,
  stopped:
    'On: stops the session, or every session if the server sets it. Gateways, hooks and guards deny all calls until this is unset.',
  agents: {
    about:
      'Limits of sub-agents, and properties of agents, by the agent that events name; they add to the built-in ones.',
    max_children: 'Maximum sub-agents of one session; further ones are stopped. Default: no limit.',
    max_depth:
      'Maximum levels of sub-agents below a session; deeper ones are stopped. 1: sub-agents start none. Default: no limit.',
    each: {
      names: 'Other names of this agent.',
      tools: { about: 'Like per_tool, for this agent only; per_tool takes precedence.', each: toolContract },
      result_noise:
        'Parts of results to ignore. {number}, {word}, {line} and {text} match the parts that vary.',
      not_run: 'Whole results that mean the call did not run.',
      harness_prompts: 'Prompts written by the harness rather than by a person.',
    },
  },
  prices: {
    about: 'US dollars per million tokens, by model name; takes precedence over the built-in table.',
    each: {
      input: 'Input tokens.',
      output: 'Output tokens, including reasoning.',
      cached_input: 'Input tokens read from the cache. Default: same as input.',
      cache_write: 'Input tokens written to the cache. Default: same as input.',
    },
  },
  semantic: {
    ...semantic,
    second_opinion: 'On: llm.second_model must confirm a loop.',
    max_concurrent: 'Maximum concurrent model calls per process.',
    per_minute: 'Maximum model calls per minute and process.',
    per_session: 'Maximum model calls per session.',
    timeout_seconds: 'Timeout of a model call.',
    max_characters: 'Maximum length of the session excerpt sent to the model.',
  },
  overrides: {
    models: {
      about: 'Detection settings by backend/model; take precedence over those of the server.',
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
    idle_seconds: 'The session restarts after a longer pause.',
    max_sessions: 'Maximum sessions in memory per process; fewer when the heap is nearly full.',
  },
  privacy: {
    mask: 'Additional regular expressions whose matches are masked: JavaScript syntax with flag u, without lookaround and backreferences.',
    store_text: 'Off: verdicts and messages stored by the gateway contain no arguments and no text.',
  },
  kafka: {
    brokers: 'Bootstrap brokers as host:port, with IPv6 addresses in brackets.',
    client_id: 'Client id that brokers show in their logs.',
    group: 'Consumer group of the workers.',
    instance_id:
      'Name of this worker that is unique in its group and the same after a restart, such as the name of its StatefulSet pod. A worker that was killed then gets its partitions back as soon as it runs again. Default: none.',
    partitions: 'Partitions of the topics that `loopwatch topics` creates.',
    replication_factor: 'Replicas of each topic. Default: 3, or the number of brokers if there are fewer.',
    delivery:
      'exactly_once: outputs and offsets are committed in one transaction. at_least_once: slightly lower latency, but a crash can duplicate verdicts (with the same ids).',
    compression:
      'Compression of the records that Loopwatch writes; zstd requires Node 22.15. Records of any compression can be read.',
    topics: {
      prefix: 'Prefix of the default topic names.',
      events: 'Incoming events. Default: <prefix>events',
      verdicts: 'Verdicts. Default: <prefix>verdicts',
      sessions: 'Session summaries (compacted). Default: <prefix>sessions',
      control: 'Settings by scope (compacted). Default: <prefix>control',
      checks: 'Results of semantic checks (compacted). Default: <prefix>checks',
      'dead-letters': 'Records that could not be processed. Default: <prefix>dead-letters',
      state: 'State of the workers, for a fast takeover (compacted). Default: <prefix>state',
      triage: 'Triage of incidents (compacted). Default: <prefix>triage',
    },
    sources: {
      about:
        'Topics of other producers, by topic name. Workers convert their records to events, keyed by session.',
      each: {
        format: 'Format of the records; auto detects it per record.',
        format_header: 'Record header that names the format; takes precedence over format.',
      },
    },
    schema_registry: {
      about: "Schema registry with Confluent's REST API, for sources in Avro, Protobuf or JSON Schema.",
      url: 'Base URL, such as https://registry.acme.example:8081; the login is not part of it. Default: none.',
      username: 'User name, or API key.',
      password: 'Password, or API secret; prefer the environment variable or password_file.',
      password_file: 'File that contains the password.',
    },
    security_protocol: 'Whether connections use TLS (…SSL) and authenticate (SASL_…).',
    sasl: {
      mechanism:
        'SASL mechanism. PLAIN sends the password in clear text: use it over TLS only. AWS_MSK_IAM requires the package aws-msk-iam-sasl-signer-js.',
      username: 'SASL user name.',
      password: 'SASL password; prefer the environment variable or password_file.',
      password_file: 'File that contains the password.',
      oauthbearer: {
        about: 'Login with OAUTHBEARER: access tokens by the client credentials flow of OAuth 2.0.',
        token_endpoint_url: 'URL that issues access tokens.',
        client_id: 'Client id at the token endpoint.',
        client_secret: 'Client secret; prefer the environment variable or client_secret_file.',
        client_secret_file: 'File that contains the client secret.',
        scope: 'Scopes to request, separated by spaces. Default: none.',
        audience:
          'Audience to request the token for, if the provider asks for one, as Auth0 does. Default: none.',
        extensions: {
          about: 'SASL extensions, by name, such as logicalCluster and identityPoolId of Confluent Cloud.',
          each: 'Value of the extension.',
        },
      },
      aws: { region: 'AWS region of an MSK cluster with IAM authentication, such as eu-central-1.' },
    },
    ssl: {
      ca_file: 'CA certificates (PEM) to verify the brokers with. Default: those bundled with Node.',
      cert_file: 'Client certificate (PEM) with its intermediate certificates, if brokers require one.',
      key_file: 'Private key of the client certificate (PEM).',
      key_password: 'Password of an encrypted private key.',
      key_password_file: 'File that contains that password.',
      verify_hostname: 'Off: accepts broker certificates that were issued for another host name.',
    },
  },
  llm: {
    base_url: 'Base URL of an OpenAI-compatible API, including /v1. Default: the OpenAI API.',
    api_key: 'API key; most local servers need none.',
    model: 'Model that checks for loops. The semantic detector is off without one.',
    second_model: 'A stronger model that confirms a loop.',
  },
  worker: {
    host: 'Address to listen on; 0.0.0.0 for other machines, which can then read health and metrics without a login.',
    port: 'Port of health and metrics.',
    replay_reach:
      'Approximate maximum of records that a takeover replays per partition, limited to a second of work. Older session state comes from snapshots in the state topic.',
  },
  server: {
    host: 'Address to listen on; 0.0.0.0 for other machines, which requires a login or allow_anonymous.',
    port: 'Port of dashboard and API.',
    otlp_grpc_port:
      'Port for OTLP over gRPC, usually 4317. Default: none, because OTLP over HTTP uses server.port.',
    allow_anonymous:
      'On: allows access without a login from other machines. Every client then has full access.',
    public_url: 'URL of the dashboard as browsers see it.',
    allowed_hosts:
      'Host names that requests may use besides localhost, IP addresses, host and public_url; .acme.example allows all its subdomains, * any name.',
    trust_proxy:
      'Proxies whose x-forwarded-… headers are trusted: their number, or addresses, ranges (10.0.0.0/8), loopback, linklocal, uniquelocal.',
    grafana_url: 'URL of the Grafana dashboard; pages link to it with their time range.',
    kafka_ui_url:
      'URL of a record in a Kafka UI, with the placeholders {topic}, {partition} and {offset}; incidents link to their records.',
    oidc: {
      about: 'Login with an OpenID Connect provider.',
      issuer: 'Issuer URL of the provider, as in its discovery document. OIDC login is off without one.',
      client_id: 'Client id registered with the provider.',
      client_secret: 'Client secret; prefer the environment variable or client_secret_file.',
      client_secret_file: 'File that contains the client secret.',
      name: 'Provider name on the login button: Log in with ….',
      scope: 'Scopes to request; must include the one that provides the role claim.',
      role_claim: 'ID token claim that contains the user’s roles, as a dotted path: realm_access.roles.',
      operators: 'Values of that claim that grant the operator role.',
      viewers: 'Values of that claim that grant the viewer role.',
      default_role: 'Role of all other users of the provider.',
      public_url: 'Base of the redirect URL. Default: server.public_url, or the host of the request.',
    },
  },
  notifications: 'Receivers of messages about incidents; docs/notifications.md shows each type.',
  gateway: {
    upstream:
      'Base URL of the model API, including /v1: https://api.openai.com/v1. Without one, `start` runs no gateway.',
    host: 'Address to listen on; 0.0.0.0 for other machines. Clients authenticate with their own upstream key.',
    port: 'Port of the API, health and metrics.',
    preset: 'Detection preset of the gateway. Default: preset if set, else proxy.',
    backend:
      'Name of the upstream in logs, verdicts and overrides.models. Default: openai, or anthropic for /v1/messages.',
    on_block:
      'error: the client gets an error. message: an assistant message replaces the call. Default: error in preset proxy, unless calls are matched by similarity; else message.',
    guidance_as:
      'Role that guidance to the model is written in: tool, as a failed result, or assistant. Default: assistant if calls are matched by similarity, else tool.',
    enforce_streams: 'Off: streamed responses are analyzed but never held back or stopped.',
    commands: 'Off: !/set, !/unset and !/help are treated as ordinary text.',
    publish_events: 'Off: writes neither events nor verdicts to the event log.',
    store_messages: 'Off: stores no messages in the database. The privacy settings apply to stored messages.',
    connect_timeout_seconds: 'Timeout for connecting to the upstream.',
    response_timeout_seconds: 'Timeout from sending a request to the first byte of the response.',
    stall_timeout_seconds: 'Maximum pause within a response.',
    drain_seconds:
      'How long open requests may go on once the process is asked to stop; those still open are then cut off. It needs up to 10 seconds more to exit.',
    max_request_bytes: 'Maximum request size; larger requests are rejected with 413.',
    max_held_bytes:
      'Maximum bytes of a response held back for analysis; larger ones pass through without it, and are counted.',
    max_sessions: 'Maximum sessions in memory; the least recently used is evicted first.',
    max_buffered_records:
      'Maximum records buffered while the event log or the database is unavailable; the oldest are then dropped and counted.',
  },
  storage: {
    data_dir: 'Folder of the embedded log and database.',
    database_url:
      'PostgreSQL server to use instead of the embedded database, which only one process can open. Write special characters of a password in percent-encoding: # is %23.',
    retention_days: 'Verdicts, incidents, sessions and messages older than this are deleted; null: no limit.',
    retention_megabytes: 'Maximum size of the tables; the oldest rows are deleted beyond it; null: no limit.',
    log_retention_megabytes:
      'Size of each topic of the embedded log beyond which its oldest records are deleted, once they have been read.',
    log_max_megabytes:
      'Size of each topic of the embedded log beyond which new events are refused with 429 until older ones have been read. At least log_retention_megabytes.',
  },
  log: {
    level: 'Minimum level of log entries.',
    format: 'auto: pretty on a terminal, else JSON.',
  },
};

/** Description of the setting at a dotted path; empty if there is none. Entries of a record share one description. */
export function settingText(path: string): string {
  let texts: unknown = settingTexts;
  for (const key of path.split('.')) texts = textsAt(texts, key);
  const text = typeof texts === 'string' ? texts : textsAt(texts, 'about');
  return typeof text === 'string' ? text : '';
}

function textsAt(texts: unknown, key: string): unknown {
  if (typeof texts !== 'object' || texts === null) return undefined;
  const block = texts as Readonly<Record<string, unknown>>;
  return Object.hasOwn(block, key) ? block[key] : block['each'];
}
