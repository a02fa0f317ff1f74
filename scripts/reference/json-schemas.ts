import {
  checkSchema,
  controlSchema,
  eventSchemas,
  eventTypes,
  otherEventSchema,
  sessionSummarySchema,
  settingsSchema,
  verdictSchema,
} from '@loopwatch/contract';
import { expandEvidenceSchema, settingTexts } from '@loopwatch/contract/internal';
import * as z from 'zod';
import {
  checkExamples,
  controlExamples,
  eventExamples,
  sessionSummaryExamples,
  verdictExamples,
} from './examples.ts';

/** The published JSON Schemas, derived from the schemas that the code itself uses. */

export interface Json {
  [key: string]: unknown;
}

/** AsyncAPI uses draft 7. */
export type Dialect = 'draft-2020-12' | 'draft-7';

const texts = {
  event: ['Event', 'A step of an agent: a record of the events topic. Unknown fields are kept.'],
  verdict: ['Verdict', 'One change in the lifecycle of an incident: a record of the verdicts topic.'],
  'session-summary': [
    'Session summary',
    'The state of a session at one of its events: a record of the sessions topic. The key is the session id.',
  ],
  control: ['Control', 'The settings of one scope: a record of the control topic. The key is the scope.'],
  check: ['Check', 'The result of a semantic check: a record of the checks topic. The key is the id.'],
  settings: ['Settings', 'The configuration file.'],
} as const;
export type SchemaName = keyof typeof texts;
export const schemaNames = Object.keys(texts) as readonly SchemaName[];

/** A schema as a separate file. */
export function schemaDocument(name: SchemaName): Json {
  const [title, description] = texts[name];
  const version = name === 'settings' ? '' : ':v1';
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:loopwatch:schema:${name}${version}`,
    title: `Loopwatch ${title.toLowerCase()}`,
    description,
    ...(name === 'event' ? eventDocument() : payloadSchema(name, 'draft-2020-12')),
  };
}

/** The schema of a payload without its own header; {@link eventParts} assembles events. */
export function payloadSchema(name: Exclude<SchemaName, 'event'>, dialect: Dialect): Json {
  switch (name) {
    case 'verdict':
      return { ...convert(verdictSchema, dialect), examples: verdictExamples };
    case 'session-summary':
      return { ...convert(sessionSummarySchema, dialect), examples: sessionSummaryExamples };
    case 'control':
      return { ...convert(controlSchema, dialect), examples: controlExamples };
    case 'check':
      return { ...convert(checkSchema, dialect), examples: checkExamples };
    case 'settings':
      return explained(convert(settingsSchema, dialect), settingTexts);
  }
}

function eventDocument(): Json {
  const { root, parts } = eventParts('#/$defs/', 'draft-2020-12');
  return { ...root, examples: Object.values(eventExamples), $defs: parts };
}

/**
 * The event schema in named parts: the common fields are defined once, each type adds its own fields, and an unknown type
 * only needs a valid envelope.
 *
 * @param at the prefix of references to the parts
 */
export function eventParts(at: string, dialect: Dialect): { root: Json; parts: Record<string, Json> } {
  const shared = without(propertiesOf(convert(otherEventSchema, dialect)), 'type');
  const parts: Record<string, Json> = { envelope: { type: 'object', properties: shared } };
  for (const name of eventTypes) {
    const whole = convert(eventSchemas[name], dialect);
    const own = Object.entries(propertiesOf(whole)).filter(([key]) => !Object.hasOwn(shared, key));
    parts[name] = {
      ...(typeof whole['description'] === 'string' && { description: whole['description'] }),
      allOf: [{ $ref: `${at}envelope` }],
      type: 'object',
      properties: Object.fromEntries(own),
      required: whole['required'],
    };
  }
  parts['other'] = {
    description: 'An unknown type: accepted, counted and otherwise ignored.',
    allOf: [{ $ref: `${at}envelope` }],
    type: 'object',
    properties: { type: { type: 'string', not: { enum: eventTypes } } },
    required: ['type'],
  };
  return { root: { oneOf: [...eventTypes, 'other'].map((name) => ({ $ref: at + name })) }, parts };
}

function convert(schema: z.ZodType, target: Dialect): Json {
  const override = expandEvidenceSchema;
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target, override });
  return without(document, '$schema');
}

/** The schema with descriptions of its parts; `each` describes a record's values. */
function explained(schema: Json, texts: unknown): Json {
  if (typeof texts === 'string') return { description: texts, ...schema };
  const { about, each, ...parts } = texts as Json;
  const properties = Object.entries(propertiesOf(schema));
  return {
    ...(about !== undefined && { description: about }),
    ...schema,
    ...(properties.length > 0 && {
      properties: Object.fromEntries(
        properties.map(([key, value]) => [key, explained(value as Json, parts[key])]),
      ),
    }),
    ...(each !== undefined && {
      additionalProperties: explained(schema['additionalProperties'] as Json, each),
    }),
  };
}

/** A copy without one key. */
export function without(schema: Json, key: string): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}

function propertiesOf(schema: Json): Json {
  return (schema['properties'] ?? {}) as Json;
}
