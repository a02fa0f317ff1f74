import { z } from 'zod';

/**
 * Evidence in verdicts and incidents. It is not validated here, so that verdicts of other versions are accepted;
 * `readEvidence` validates it by detector.
 */
export const evidenceRecordSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'Depends on the detector; at most 32 KiB, secrets masked. For an incident: the evidence of the latest verdict that has any.',
  );
