export { createServer, type LoopwatchServer, type ServerDeps } from './server.ts';
