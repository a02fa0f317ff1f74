import { z } from 'zod';

/**
 * Evidence as it is passed on: not checked, since a verdict of another version is kept whatever it shows. `readEvidence`
 * reads it by its detector; `explainEvidence` says where the schema is published what it holds.
 */
export const evidenceRecordSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'Per detector, at most 32 KiB, secrets masked; of an incident, that of the latest verdict that has some.',
  );
