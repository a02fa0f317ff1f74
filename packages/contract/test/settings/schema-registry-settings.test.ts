import { describe, expect, it } from 'vitest';
import { isSecretPath, resolveSettings } from '../../src/internal.ts';

/** Resolves settings as if from a YAML file. */
function resolve(registry: object, environment: Record<string, string> = {}) {
  const value = { kafka: { schema_registry: registry } };
  return resolveSettings({ file: { name: 'loopwatch.yaml', value }, environment, flags: {} });
}

const url = 'https://registry.acme.example:8081';

describe('kafka.schema_registry', () => {
  it.each([
    { url },
    { url: 'http://127.0.0.1:8080/apis/ccompat/v7' },
    { url, username: 'key', password: 'secret' },
    { url, username: 'key', password_file: '/run/secrets/registry' },
  ])('accepts %o', (registry) => {
    expect(resolve(registry)).toMatchObject({ ok: true, settings: { kafka: { schema_registry: registry } } });
  });

  it.each([
    [{ url: 'registry:8081' }, 'url'],
    [{ url: 'https://key:secret@registry' }, 'must not contain a login'],
    [{ username: 'key', password: 'secret' }, 'url: is required with a login'],
    [{ url, username: 'key' }, 'and password (or password_file) must be set together'],
    [{ url, password: 'secret' }, 'and password (or password_file) must be set together'],
    [{ url, username: 'key', password: 'a', password_file: 'b' }, 'are both set'],
  ])('rejects %o', (registry, message) => {
    const result = resolve(registry);
    expect(JSON.stringify(result)).toContain(message);
    expect(result.ok).toBe(false);
  });

  it('takes environment variables, and the password is a secret', () => {
    const env = {
      LOOPWATCH_KAFKA_SCHEMA_REGISTRY_URL: url,
      LOOPWATCH_KAFKA_SCHEMA_REGISTRY_USERNAME: 'key',
      LOOPWATCH_KAFKA_SCHEMA_REGISTRY_PASSWORD: 'secret',
    };
    expect(resolve({}, env)).toMatchObject({
      ok: true,
      warnings: [],
      settings: { kafka: { schema_registry: { url, username: 'key', password: 'secret' } } },
    });
    expect(isSecretPath('kafka.schema_registry.password')).toBe(true);
  });
});
