import { z } from 'zod';
import { detectorIds } from './detectors.ts';
import { evidenceSchemas } from './evidence.ts';
import { evidenceRecordSchema } from './evidence-record.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** For the `override` of `z.toJSONSchema`: replaces evidence by one schema per detector, titled with its id. */
export function explainEvidence(part: {
  readonly zodSchema: unknown;
  readonly jsonSchema: JsonSchema;
}): void {
  const { zodSchema, jsonSchema } = part;
  if (zodSchema !== evidenceRecordSchema) return;
  delete jsonSchema.propertyNames;
  delete jsonSchema.additionalProperties;
  jsonSchema.anyOf = [
    ...forms(),
    { title: 'other', description: 'Evidence of another version.', type: 'object' },
  ];
}

/** As input schemas, which allow additional fields. */
function forms(): JsonSchema[] {
  return detectorIds.map((id) => {
    const { $schema, ...form } = z.toJSONSchema(evidenceSchemas[id], { io: 'input', target: 'draft-7' });
    return { title: id, ...form };
  });
}
