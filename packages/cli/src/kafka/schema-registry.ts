import type { Settings } from '@loopwatch/contract';
import { createValueDecoder, type SchemaRegistryOptions, type ValueDecoder } from '@loopwatch/log';
import type { Logger } from 'pino';
import { readSecret } from '../config/secret-files.ts';
import { logFunction } from '../runtime/logger.ts';

/**
 * The configured registry with its login; undefined without one.
 *
 * @throws UsageError when the file with the password cannot be read
 */
export function schemaRegistry({ kafka }: Settings): SchemaRegistryOptions | undefined {
  const { url, username, password: text, password_file: file } = kafka.schema_registry;
  if (url === undefined) return undefined;
  const password = readSecret('kafka.schema_registry.password', text, file);
  const hasLogin = username !== undefined && password !== undefined;
  return { url, ...(hasLogin && { login: { username, password } }) };
}

/**
 * Decodes values with the schemas of the configured registry; undefined without one.
 *
 * @throws UsageError when the file with the password cannot be read
 */
export function schemaDecoder(settings: Settings, logger: Logger): ValueDecoder | undefined {
  const registry = schemaRegistry(settings);
  return registry === undefined ? undefined : createValueDecoder(registry, logFunction(logger));
}
