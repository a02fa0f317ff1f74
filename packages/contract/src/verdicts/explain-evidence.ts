import { z } from 'zod';
import { detectorIds } from './detectors.ts';
import { evidenceSchemas } from './evidence.ts';
import { evidenceRecordSchema } from './evidence-record.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** For the `override` of `z.toJSONSchema`: evidence has one form per detector, which is the title of it. */
export function explainEvidence(part: {
  readonly zodSchema: unknown;
  readonly jsonSchema: JsonSchema;
}): void {
  const { zodSchema, jsonSchema } = part;
  if (zodSchema !== evidenceRecordSchema) return;
  delete jsonSchema.propertyNames;
  delete jsonSchema.additionalProperties;
  jsonSchema.anyOf = [...forms(), { title: 'other', description: 'Of another version.', type: 'object' }];
}

/** As input, where fields that are not named may stand beside those that are. */
function forms(): JsonSchema[] {
  return detectorIds.map((id) => {
    const { $schema, ...form } = z.toJSONSchema(evidenceSchemas[id], { io: 'input', target: 'draft-7' });
    return { title: id, ...form };
  });
}
