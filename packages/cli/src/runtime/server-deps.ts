import { detectionSettings, topicNames } from '@loopwatch/contract';
import { planDetection } from '@loopwatch/detectors';
import { retentionLimits, type ServerDeps } from '@loopwatch/server';
import { modelClient } from '@loopwatch/worker';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load-config.ts';
import { accessTokens } from './access-tokens.ts';
import { oidcLogin } from './oidc-login.ts';
import { outwardLinks } from './outward-links.ts';
import { dashboardDir } from './paths.ts';
import { version } from './version.ts';

/** What the configuration says of a server, wherever it runs. */
export function serverDeps(
  { settings, origins }: Pick<LoadedConfig, 'settings' | 'origins'>,
  logger: Logger,
): Omit<ServerDeps, 'log' | 'openDatabase' | 'registry' | 'readiness'> {
  const hasModel = modelClient(settings.llm) !== undefined;
  const { preset, configHash } = planDetection(settings, hasModel);
  return {
    host: settings.server.host,
    port: settings.server.port,
    links: outwardLinks(settings.server),
    topics: topicNames(settings.kafka.topics),
    logger,
    info: { version, preset, configHash },
    configured: { settings: detectionSettings(settings), origins, hasModel },
    retention: retentionLimits(settings),
    tokens: accessTokens(logger),
    oidc: oidcLogin(settings),
    dashboardDir,
  };
}
