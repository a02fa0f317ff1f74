import * as z from 'zod';

/* `/samples`: recorded sessions that the server replays, so that a new installation has data to show. */

export const samplesSchema = z.object({
  available: z.boolean().describe('Whether this server can replay samples, as `loopwatch start` can.'),
  playing: z.boolean(),
  sessions: z.int().nonnegative().describe('Number of stored sample sessions.'),
});

export const samplesPutSchema = z.strictObject({
  playing: z.boolean().describe('Persists across restarts.'),
});

export type Samples = z.infer<typeof samplesSchema>;
