import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksCheckedBy } from '../../src/documented/index.ts';

const parts = ['receivers', 'processors', 'exporters'] as const;
type Part = (typeof parts)[number];

interface Collector extends Record<Part, Record<string, unknown>> {
  readonly service: { readonly pipelines: Record<string, Record<Part, string[]>> };
}

it.each(blocksCheckedBy(import.meta.url))('$page, $title: every pipeline is complete', ({ text }) => {
  const collector = parse(text) as Collector;
  const { pipelines } = collector.service;
  expect(Object.keys(pipelines)).toEqual(['traces', 'metrics']);
  for (const pipeline of Object.values(pipelines))
    for (const part of parts)
      expect(Object.keys(collector[part])).toEqual(expect.arrayContaining(pipeline[part]));
});
