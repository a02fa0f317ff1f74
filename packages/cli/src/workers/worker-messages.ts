import { z } from 'zod';

/** What a supervisor and its worker processes say to each other over their IPC channel. */

/** What a supervisor asks a worker for; the answer carries the same id. */
export const questionSchema = z.object({ id: z.int(), ask: z.enum(['status', 'metrics']) });
export type Question = z.infer<typeof questionSchema>;

const statusSchema = z.object({ connected: z.boolean(), detail: z.string() });

/** Not a number is a value too: that of a mean of nothing. */
const sampleValue = z.custom<number>((value) => typeof value === 'number');

const metricSchema = z.object({
  name: z.string(),
  help: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
  aggregator: z.enum(['sum', 'first', 'min', 'max', 'average', 'omit']),
  values: z.array(
    z.object({
      value: sampleValue,
      labels: z.record(z.string(), z.union([z.string(), z.number()])),
      metricName: z.string().optional(),
    }),
  ),
});

/** What a registry of prom-client holds, as plain data. */
export const snapshotSchema = z.array(metricSchema);
export type Snapshot = z.infer<typeof snapshotSchema>;

/** What a worker says: that it is connected, once; and its answers. */
export const reportSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('status'), id: z.int(), status: statusSchema }),
  z.object({ kind: z.literal('metrics'), id: z.int(), metrics: snapshotSchema }),
]);
export type Report = z.infer<typeof reportSchema>;

/** What each question is answered with. */
export interface Answers {
  readonly status: z.infer<typeof statusSchema>;
  readonly metrics: Snapshot;
}
