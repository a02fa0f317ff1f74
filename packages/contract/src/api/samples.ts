import { z } from 'zod';

/** `/samples`: recorded sessions that the server plays, so that a new installation has something to show. */

export const samplesSchema = z.object({
  available: z.boolean().describe('Whether this server can play them: `loopwatch start` can.'),
  playing: z.boolean(),
  sessions: z.int().nonnegative().describe('Sample sessions that are stored.'),
});

export const samplesPutSchema = z.strictObject({
  playing: z.boolean().describe('Holds over restarts.'),
});

export type Samples = z.infer<typeof samplesSchema>;
