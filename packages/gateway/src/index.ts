export { Gateway, type GatewayDeps } from './gateway.ts';
export { type KeptSession, MemorySessionKeeper, type SessionKeeper } from './session/session-keeper.ts';
