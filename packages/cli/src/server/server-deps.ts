import { detectionSettings, topicNames } from '@loopwatch/contract';
import { planDetection } from '@loopwatch/detectors/internal';
import { isLoopback } from '@loopwatch/platform';
import { retentionLimits, type ServerDeps } from '@loopwatch/server';
import { modelClient } from '@loopwatch/worker';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load-config.ts';
import { UsageError } from '../errors.ts';
import { dashboardDir, version } from '../runtime/installation.ts';
import { notificationChannels } from './notification-channels.ts';
import { oidcOptions } from './oidc-options.ts';

/** Shorter tokens can be guessed. */
const MIN_TOKEN_LENGTH = 16;

/**
 * The options of a server that follow from the configuration.
 *
 * @throws UsageError when a token is blank, or other machines could reach the server without a login
 */
export function serverDeps(
  { settings, origins }: Pick<LoadedConfig, 'settings' | 'origins'>,
  logger: Logger,
): Omit<ServerDeps, 'log' | 'openDatabase' | 'registry' | 'readiness'> {
  const tokens = accessTokens(logger);
  const oidc = oidcOptions(settings);
  const { host, port, public_url: publicUrl, allow_anonymous: anonymous } = settings.server;
  if (!isLoopback(host) && oidc === undefined && !tokens.operator && !tokens.viewer) {
    if (!anonymous) throw missingLoginError(host);
    logger.warn(
      { host },
      `No login is set up: anyone who can reach ${host}:${String(port)} can read and change everything`,
    );
  }
  const hasModel = modelClient(settings.llm) !== undefined;
  const { preset, configHash } = planDetection(settings, hasModel);
  return {
    host,
    port,
    otlpGrpcPort: settings.server.otlp_grpc_port,
    publicUrl,
    tokens,
    oidc,
    allowedHosts: allowedHosts(settings),
    trustProxy: settings.server.trust_proxy,
    notifications: notificationChannels(settings),
    links: { grafana: settings.server.grafana_url ?? null, kafka: settings.server.kafka_ui_url ?? null },
    topics: topicNames(settings.kafka.topics),
    logger,
    info: { version, preset, configHash },
    configured: { settings: detectionSettings(settings), origins, hasModel },
    retention: retentionLimits(settings),
    dashboardDir,
  };
}

/** The API tokens from the environment; warns about short ones. @throws UsageError for a blank one, and for one of two roles */
function accessTokens(logger: Logger): NonNullable<ServerDeps['tokens']> {
  const read = (name: string): string | undefined => {
    const text = process.env[name];
    // Empty is how Compose and shells pass a variable that is not set.
    if (text === undefined || text === '') return undefined;
    const token = text.trim();
    if (token === '')
      throw new UsageError(
        `${name} is blank: set it to a token that cannot be guessed (openssl rand -hex 32), or unset it`,
      );
    if (token.length < MIN_TOKEN_LENGTH) {
      logger.warn(
        `${name} has only ${String(token.length)} characters: generate one that cannot be guessed, for example with \`openssl rand -hex 32\``,
      );
    }
    return token;
  };
  const operator = read('LOOPWATCH_API_TOKEN');
  const viewer = read('LOOPWATCH_VIEWER_TOKEN');
  const producer = read('LOOPWATCH_INGEST_TOKEN');
  const all = [operator, viewer, producer].filter((token) => token !== undefined);
  if (new Set(all).size < all.length)
    throw new UsageError(
      'LOOPWATCH_API_TOKEN, LOOPWATCH_VIEWER_TOKEN and LOOPWATCH_INGEST_TOKEN have different roles: set each to a token of its own',
    );
  return { operator, viewer, producer };
}

/** Host names to accept; an OpenID Connect provider redirects to one of them. */
function allowedHosts({ server }: LoadedConfig['settings']): string[] {
  const { public_url: callback } = server.oidc;
  return callback === undefined
    ? server.allowed_hosts
    : [...server.allowed_hosts, new URL(callback).hostname];
}

function missingLoginError(host: string): UsageError {
  return new UsageError(
    `server.host is ${host}, so other machines can reach the server, and no login is set up: anyone could read and change everything. ` +
      'Set LOOPWATCH_API_TOKEN (openssl rand -hex 32) or server.oidc, or keep server.host at 127.0.0.1; to allow access without a login, pass --allow-anonymous (server.allow_anonymous).',
  );
}
