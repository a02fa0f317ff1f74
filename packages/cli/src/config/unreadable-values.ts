import type { Settings } from '@loopwatch/contract';
import { UsageError } from '../errors.ts';
import { schemaRegistry } from '../kafka/schema-registry.ts';
import { kafkaSecurity } from '../kafka/security.ts';
import { notificationChannels } from '../server/notification-channels.ts';
import { oidcOptions } from '../server/oidc-options.ts';

/** Why a start with these settings would fail: environment variables and files that they name, and that cannot be read. */
export function unreadableValues(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const { kafka, notifications } = settings;
  const reads = [
    ...(kafka.brokers.length > 0 ? [() => kafkaSecurity(kafka)] : []),
    () => schemaRegistry(settings),
    () => oidcOptions(settings),
    ...notifications.map((entry) => () => notificationChannels({ notifications: [entry] }, environment)),
  ];
  return reads.flatMap(faultOf);
}

function faultOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof UsageError) return [error.message];
    throw error;
  }
}
