export { healthRoutes, type Metrics, type Readiness } from './health.ts';
export { createServer, type LoopwatchServer, type ServerDeps } from './server.ts';
