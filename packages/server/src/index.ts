export type { ServerLog } from './feed/feeds.ts';
export type { NotificationChannel } from './notifications/channel.ts';
export { sendTest } from './notifications/notifications.ts';

export { type RetentionLimits, retentionLimits } from './retention/retention.ts';
export type { SamplePlayback } from './samples/sample-sessions.ts';
export type { OidcOptions } from './security/oidc.ts';
export { createServer, type LoopwatchServer } from './server.ts';
export type { ServerDeps } from './services.ts';
