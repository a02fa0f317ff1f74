import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { neededRights } from '../../src/kafka/rights.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/kafka-security.md'), 'utf8');
/** `topics \`a\`, \`b\` | Read | …` as `Read on topic a` and so on. */
const documented = [...page.matchAll(/^\| (topic|group|transactional id)s? ([^|]*) \| (\w+) \|/gm)].flatMap(
  ([, resource = '', names = '', operation = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(
      ([, name = '']) => `${operation} on ${resource.replace(' ', '-')} ${name}`,
    ),
);

const named = (settings: Parameters<typeof neededRights>[0]) =>
  neededRights(settings).map(({ operation, resource, name }) => `${operation} on ${resource} ${name}`);

describe('neededRights', () => {
  it('neededRights: match the documentation', () => {
    expect(documented.toSorted()).toEqual(named(settingsSchema.parse({})).toSorted());
  });

  it('neededRights: include the topics of other producers', () => {
    const plain = named(settingsSchema.parse({}));
    const more = named(settingsSchema.parse({ kafka: { sources: { otlp_spans: {} } } }));
    expect(more.filter((right) => !plain.includes(right))).toEqual([
      'Read on topic otlp_spans',
      'Read on group loopwatch-worker-sources',
      'Write on transactional-id loopwatch-worker-sources/',
    ]);
    const writers = neededRights(settingsSchema.parse({ kafka: { sources: { otlp_spans: {} } } }));
    expect(
      writers.find(({ name, operation }) => name.endsWith('events') && operation === 'Write'),
    ).toMatchObject({
      neededBy: expect.arrayContaining(['worker']),
    });
  });

  it('neededRights: use the configured names, and omit transactions with at_least_once', () => {
    const settings = settingsSchema.parse({
      kafka: { group: 'g', delivery: 'at_least_once', topics: { prefix: 'p.', verdicts: 'loops' } },
    });
    const rights = named(settings);
    expect(rights).toEqual(
      expect.arrayContaining(['Read on topic p.events', 'Write on topic loops', 'Read on group g']),
    );
    expect(rights.filter((right) => right.includes('transactional-id'))).toEqual([]);
  });
});
