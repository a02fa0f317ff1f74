import { type Settings, topicNames } from '@loopwatch/contract';
import type { GatewayDeps } from '@loopwatch/gateway';
import { portOf } from '@loopwatch/telemetry';
import type { LoadedConfig } from '../config/load-config.ts';
import { UsageError } from '../errors.ts';
import { listenFailure } from '../runtime/http.ts';
import type { Running } from '../runtime/lifecycle.ts';
import type { Observability } from '../runtime/observability.ts';

/** Default preset of the gateway. It blocks at once, so it reports only loops that are certain. */
const DEFAULT_PRESET = 'proxy';

/** The settings with the preset of the gateway. @throws UsageError if it would forward requests to itself */
export function gatewaySettings({ settings, origins }: Pick<LoadedConfig, 'settings' | 'origins'>): Settings {
  const { upstream } = settings.gateway;
  if (upstream !== undefined && isOwnAddress(new URL(upstream), settings.gateway))
    throw new UsageError(
      `gateway.upstream is ${upstream}, the address of the gateway itself. Set it to the address of the model API.`,
    );
  const chosen = (origins['preset']?.source ?? 'default') !== 'default';
  return { ...settings, preset: settings.gateway.preset ?? (chosen ? settings.preset : DEFAULT_PRESET) };
}

const thisMachine = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]']);

function isOwnAddress(address: URL, { host, port }: Settings['gateway']): boolean {
  const { hostname } = address;
  return portOf(address) === port && (thisMachine.has(hostname) || hostname === host);
}

/** The default preset stops only identical calls in a row. */
function presetAdvice(preset: string): string {
  return preset === DEFAULT_PRESET
    ? ' (recommended for agents: --preset balanced, which also compares results and finds cycles)'
    : '';
}

/** Storage of a gateway; empty when it stores nothing. */
export type GatewayStorage = Pick<GatewayDeps, 'sink' | 'control' | 'openDatabase'>;

/**
 * Starts a gateway with its own metrics, on its own port.
 *
 * @param flag the option that chooses another port, for the error when it is in use
 */
export async function startGateway(
  settings: Settings,
  storage: GatewayStorage,
  { logger, createRegistry }: Pick<Observability, 'logger' | 'createRegistry'>,
  flag = '--port',
): Promise<Running> {
  // Most processes run no gateway and need not load it.
  const { Gateway } = await import('@loopwatch/gateway');
  const { gateway: own, preset, kafka } = settings;
  const gateway = new Gateway({
    settings,
    topics: topicNames(kafka.topics),
    ...storage,
    registry: createRegistry(),
    logger,
  });
  try {
    const { url } = await gateway.start();
    logger.info(
      { url, upstream: own.upstream, preset },
      `The gateway is at ${url}/v1, forwarding to ${own.upstream ?? ''} with preset ${preset}${presetAdvice(preset)}`,
    );
  } catch (error) {
    await gateway.stop();
    throw listenFailure(error, own.port, flag);
  }
  return gateway;
}
