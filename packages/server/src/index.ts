export type { ServerLog } from './feed/server-log.ts';
export { healthRoutes, type Metrics, type Readiness } from './health.ts';
export { type RetentionLimits, retentionLimits } from './retention/retention.ts';
export type { SamplePlayback } from './samples/sample-sessions.ts';
export { isLoopback } from './security/hosts.ts';
export type { OidcOptions } from './security/oidc.ts';
export { createServer, type LoopwatchServer, type ServerDeps } from './server.ts';
export type { ConfiguredSettings } from './settings/effective-settings.ts';
