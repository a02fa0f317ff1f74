import { readFileSync } from 'node:fs';
import { settingsSchema, topicNames } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksCheckedBy, root } from '../../src/documented/index.ts';

/** What cannot be run here is compared with the files that it uses. */
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const dockerfile = read('Dockerfile');
const [compose = '', ...image] = blocksCheckedBy(import.meta.url, 'docs/deployment.md').map(
  ({ text }) => text,
);
const images = image.join('');
/** Values of an option of docker. */
const valuesOf = (name: string): string[] =>
  [...images.matchAll(new RegExp(`--${name} (\\S+)`, 'g'))].map(([, value = '']) => value);

describe('docs/deployment.md: commands of docker', () => {
  it('docker compose: builds the services of the Compose file', () => {
    expect(compose).toBe('docker compose up --build\n');
    const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { build?: string }>;
    };
    expect(services['worker']?.build).toBe('.');
  });

  it('docker buildx build: sets arguments of the Dockerfile', () => {
    const names = valuesOf('build-arg').map((value) => value.split('=', 1)[0]);
    expect(names).toEqual(['REVISION', 'NODE_IMAGE']);
    const declared = [...dockerfile.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name);
    expect(declared).toEqual(expect.arrayContaining(names));
  });

  it('docker buildx: uses the base image of the Dockerfile, and the version of the packages', () => {
    const base = /^ARG NODE_IMAGE=([^@\s]+)/m.exec(dockerfile)?.[1];
    expect(new Set(images.match(/node:\d+-\w+/g))).toEqual(new Set([base]));
    const { version } = JSON.parse(read('packages/cli/package.json')) as { version: string };
    expect(new Set(images.match(/(?<=REGISTRY\/loopwatch:)\S+/g))).toEqual(new Set([version]));
    expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
  });

  it('docker run: mounts the volume, publishes the port and allows anonymous access', () => {
    const volume = /^VOLUME (\S+)$/m.exec(dockerfile)?.[1];
    expect(valuesOf('volume')).toEqual([`loopwatch:${volume}`]);
    const { port } = settingsSchema.parse({}).server;
    expect(valuesOf('publish')).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(valuesOf('env')).toEqual(['LOOPWATCH_SERVER_ALLOW_ANONYMOUS=true']);
  });
});

it('docs/architecture.md: the picture names topics that exist', () => {
  const [picture] = blocksCheckedBy(import.meta.url, 'docs/architecture.md');
  const named = new Set(picture!.text.match(/\bloopwatch\.[\w-]+/g));
  expect(named.size).toBeGreaterThan(2);
  expect(Object.values(topicNames(settingsSchema.parse({}).kafka.topics))).toEqual(
    expect.arrayContaining([...named]),
  );
});
