import { detectionSettings, topicNames } from '@loopwatch/contract';
import { planDetection } from '@loopwatch/detectors';
import { isLoopback, retentionLimits, type ServerDeps } from '@loopwatch/server';
import { modelClient } from '@loopwatch/worker';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load-config.ts';
import { UsageError } from '../errors.ts';
import { accessTokens } from './access-tokens.ts';
import { notificationChannels } from './notification-channels.ts';
import { oidcLogin } from './oidc-login.ts';
import { outwardLinks } from './outward-links.ts';
import { dashboardDir } from './paths.ts';
import { version } from './version.ts';

/**
 * The options of a server that follow from the configuration.
 *
 * @throws UsageError when other machines could reach it without a login
 */
export function serverDeps(
  { settings, origins }: Pick<LoadedConfig, 'settings' | 'origins'>,
  logger: Logger,
): Omit<ServerDeps, 'log' | 'openDatabase' | 'registry' | 'readiness'> {
  const tokens = accessTokens(logger);
  const oidc = oidcLogin(settings);
  const { host, port, public_url: publicUrl, allow_anonymous: anonymous } = settings.server;
  if (!isLoopback(host) && oidc === undefined && !tokens.operator && !tokens.viewer) {
    if (!anonymous) throw openToAll(host);
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
    publicUrl,
    tokens,
    oidc,
    allowedHosts: hostsOf(settings),
    trustProxy: settings.server.trust_proxy,
    notifications: notificationChannels(settings),
    links: outwardLinks(settings.server),
    topics: topicNames(settings.kafka.topics),
    logger,
    info: { version, preset, configHash },
    configured: { settings: detectionSettings(settings), origins, hasModel },
    retention: retentionLimits(settings),
    dashboardDir,
  };
}

/** Host names to accept; an OpenID Connect provider redirects to one of them. */
function hostsOf({ server }: LoadedConfig['settings']): string[] {
  const { public_url: callback } = server.oidc;
  return callback === undefined
    ? server.allowed_hosts
    : [...server.allowed_hosts, new URL(callback).hostname];
}

function openToAll(host: string): UsageError {
  return new UsageError(
    `server.host is ${host}, so other machines can reach the server, and no login is set up: anyone could read and change everything. ` +
      'Set LOOPWATCH_API_TOKEN (openssl rand -hex 32) or server.oidc, or keep server.host at 127.0.0.1; to allow access without a login, pass --allow-anonymous (server.allow_anonymous).',
  );
}
