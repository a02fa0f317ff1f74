export { Gateway, type GatewayDeps } from './gateway.ts';
