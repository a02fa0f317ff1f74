export { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
export { logVerdict, toolLoopLine } from './verdict-log.ts';
export { Worker, type WorkerDeps, type WorkerStatus } from './worker.ts';
