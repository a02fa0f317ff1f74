/** Whether a server that listens on this host is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/i.test(host);
}
