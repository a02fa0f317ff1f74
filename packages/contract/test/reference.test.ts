import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import specs from '@asyncapi/specs';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  checkExamples,
  controlExamples,
  eventExamples,
  sessionSummaryExamples,
  verdictExamples,
} from '../../../scripts/reference/examples.ts';
import { referenceFiles } from '../../../scripts/reference/files.ts';
import { architecturePage } from '../../../scripts/reference/import-table.ts';
import { type SchemaName, schemaDocument, schemaNames } from '../../../scripts/reference/json-schemas.ts';
import { pythonTypes } from '../../../scripts/reference/python-types.ts';
import { settingsSchema, topicRoles } from '../src/index.ts';
import { settingPaths } from '../src/internal.ts';

const folder = join(import.meta.dirname, '../../../docs/reference');
const files = referenceFiles();
const committed = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('docs/reference', () => {
  it.each([...files.keys()])('%s is what `npm run generate` writes', (name) => {
    expect(committed(name)).toBe(files.get(name));
  });

  it('docs/architecture.md has the imports that `npm run generate` writes', () => {
    expect(readFileSync(join(folder, '../architecture.md'), 'utf8')).toBe(architecturePage());
  });

  it('clients/python has the types that `npm run generate` writes', () => {
    const types = join(folder, '../../clients/python/src/loopwatch/_types.py');
    expect(readFileSync(types, 'utf8')).toBe(pythonTypes());
  });

  it('lists every setting', () => {
    const page = committed('settings.md');
    expect(settingPaths(settingsSchema).filter(({ path }) => !page.includes(`| \`${path}\` |`))).toEqual([]);
  });

  it('contains no stale generated file', async () => {
    const generated = (await readdir(folder)).filter((name) => /\.(json|yaml)$/.test(name));
    expect(generated.filter((name) => !files.has(name))).toEqual([]);
  });
});

describe('the published JSON Schemas', () => {
  const checks = new Map<SchemaName, ValidateFunction>(
    schemaNames.map((name) => [
      name,
      new Ajv2020({ strict: false, validateFormats: false }).compile(schemaDocument(name)),
    ]),
  );
  const validate = (name: SchemaName, value: unknown) => checks.get(name)?.(value);

  it.each(schemaNames)('%s is valid under the draft it names', (name) => {
    const ajv = new Ajv2020({ validateFormats: false });
    expect(ajv.validateSchema(schemaDocument(name))).toBe(true);
    expect(schemaDocument(name)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: expect.stringContaining(name),
      title: expect.any(String),
      description: expect.any(String),
    });
  });

  it.each(Object.entries(eventExamples))(
    'the example of %s is a valid event of that type',
    (type, example) => {
      expect(example.type).toBe(type);
      expect(validate('event', example)).toBe(true);
      expect(validate('event', { ...example, id: 5 })).toBe(false);
    },
  );

  it.each(verdictExamples.map((example) => [example.phase, example] as const))(
    'the example of a verdict with phase %s is valid',
    (_, example) => {
      expect(validate('verdict', example)).toBe(true);
      expect(validate('verdict', { ...example, phase: 'reopened' })).toBe(false);
    },
  );

  it.each(controlExamples.map((example) => [example.scope, example] as const))(
    'the example of settings for %s is a valid control record',
    (_, example) => {
      expect(validate('control', example)).toBe(true);
      expect(validate('control', { ...example, scope: 'everywhere' })).toBe(false);
    },
  );

  it.each<[string, object, boolean]>([
    ['the example', {}, true],
    ['without usage', { tokens: null }, true],
    ['with another status', { status: 'idle' }, false],
    ['with an invalid count', { events: -1 }, false],
    ['with incidents of no detector', { incidents: { open: 0, total: 1, byDetector: { hunch: 1 } } }, false],
    ['without a source', { source: undefined }, false],
  ])('session summary: %s', (_, change, sound) => {
    for (const example of sessionSummaryExamples)
      expect(validate('session-summary', JSON.parse(JSON.stringify({ ...example, ...change })))).toBe(sound);
  });

  it.each<[string, unknown, boolean]>([
    ['an empty file', {}, true],
    ['a block', { tool_call_loop: { max_repeats: 3, ttl_seconds: null } }, true],
    ['a misspelled key', { tool_call_loop: { max_repeat: 3 } }, false],
    ['a number out of range', { tool_call_loop: { max_repeats: 1 } }, false],
  ])('settings: %s', (_, value, sound) => expect(validate('settings', value)).toBe(sound));
});

describe('the AsyncAPI document', () => {
  const document = parse(committed('asyncapi.yaml'));
  // The official schema includes draft 7, so ajv must not add its own copy.
  const official = new Ajv({
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
  }).compile(specs.schemas['3.0.0'] as AnySchema);

  it('is valid under the official schema, which rejects a broken document', () => {
    expect(official(document), JSON.stringify(official.errors)).toBe(true);
    expect(official({ ...document, channels: { events: { adress: 'x' } } })).toBe(false);
  });

  it('has a channel and a message for every topic', () => {
    expect(Object.keys(document.channels)).toEqual([...topicRoles]);
    expect(Object.keys(document.components.messages)).toEqual([...topicRoles]);
    expect(document.channels['dead-letters'].address).toBe('loopwatch.dead-letters');
  });

  it('has no dangling references', () => {
    const references = [...committed('asyncapi.yaml').matchAll(/\$ref: "?#\/([^"\n]+)/g)];
    const dangling = references.filter(
      ([, path]) =>
        path!.split('/').reduce((value, key) => value?.[key.replaceAll('~1', '/')], document) === undefined,
    );
    expect(references.length).toBeGreaterThan(20);
    expect(dangling.map(([, path]) => path)).toEqual([]);
  });

  it.each(['event', 'verdict', 'sessionSummary', 'control', 'check'] as const)(
    'describes the payload of %s in draft 7',
    (name) => {
      const check = new Ajv({ strict: false, validateFormats: false }).compile({
        $ref: `#/components/schemas/${name}`,
        components: document.components,
      });
      const examples = {
        event: Object.values(eventExamples),
        verdict: verdictExamples,
        sessionSummary: sessionSummaryExamples,
        control: controlExamples,
        check: checkExamples,
      }[name];
      expect(examples.map((example) => check(example))).toEqual(examples.map(() => true));
      expect(check({})).toBe(false);
    },
  );
});
