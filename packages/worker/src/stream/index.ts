/** Detection as a stream, without log, metrics and model: what a replay of files needs loads fast. */
export {
  type InputRecord,
  type Outcome,
  silentObserver,
} from '../records.ts';
export { LoopPipeline } from './loop-pipeline.ts';
export type { PartitionPipeline } from './partition-pipeline.ts';
export type { CheckHandling } from './semantic-checks.ts';
