import { type Settings, topicNames } from '@loopwatch/contract';
import type { GatewayDeps } from '@loopwatch/gateway';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load-config.ts';
import { listenFailure } from '../runtime/http.ts';
import type { Running } from '../runtime/lifecycle.ts';
import { processRegistry } from '../runtime/registry.ts';

/** What the gateway detects by where no preset is set: it acts at once, so it acts on what is certain. */
const OWN_PRESET = 'proxy';

/** The settings as the gateway goes by them: with the preset that is meant for it. */
export function gatewaySettings({ settings, origins }: Pick<LoadedConfig, 'settings' | 'origins'>): Settings {
  const chosen = (origins['preset']?.source ?? 'default') !== 'default';
  return { ...settings, preset: settings.gateway.preset ?? (chosen ? settings.preset : OWN_PRESET) };
}

/** The default stops identical calls in a row, and nothing else. */
function adviceOn(preset: string): string {
  return preset === OWN_PRESET
    ? ' (recommended for agents: --preset balanced, which knows results and cycles)'
    : '';
}

/** What a gateway reads and writes, besides its clients and its upstream; nothing where it stores nothing. */
export type GatewayEnds = Pick<GatewayDeps, 'sink' | 'control' | 'openDatabase'>;

/**
 * Starts a gateway; its metrics are its own, on its own port.
 *
 * @param flag what chooses another port, for the message when it is taken
 */
export async function startGateway(
  settings: Settings,
  ends: GatewayEnds,
  logger: Logger,
  flag = '--port',
): Promise<Running> {
  // Loaded here, because most processes run none.
  const { Gateway } = await import('@loopwatch/gateway');
  const { gateway: own, preset, kafka } = settings;
  const gateway = new Gateway({
    settings,
    topics: topicNames(kafka.topics),
    ...ends,
    registry: processRegistry(),
    logger,
  });
  try {
    const { url } = await gateway.start();
    logger.info(
      { url, upstream: own.upstream, preset },
      `The gateway is at ${url}/v1, before ${own.upstream ?? ''}; it detects by preset ${preset}${adviceOn(preset)}`,
    );
  } catch (error) {
    await gateway.stop();
    throw listenFailure(error, own.port, flag);
  }
  return gateway;
}
