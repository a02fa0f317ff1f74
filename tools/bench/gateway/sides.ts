/** Where requests are sent: to the upstream itself, to a bare proxy, or to the gateway. */
export type Side = 'direct' | 'bare' | 'gateway';
export const sides: readonly Side[] = ['direct', 'bare', 'gateway'];
export type Ports = Readonly<Record<Side, number>>;
/** CPU time that the process of a side has taken so far, ms. */
export type CpuTimes = (side: Side) => Promise<number>;
