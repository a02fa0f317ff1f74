import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

/** Where clouds give a machine its credentials, without asking who calls. No receiver of messages is there. */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
// The following are not link-local. Alibaba Cloud:
linkLocal.addAddress('100.100.100.200', 'ipv4');
// AWS: instances, and pods of EKS.
linkLocal.addAddress('fd00:ec2::254', 'ipv6');
linkLocal.addAddress('fd00:ec2::23', 'ipv6');
// Google Cloud.
linkLocal.addAddress('fd20:ce::254', 'ipv6');
// Scaleway.
linkLocal.addAddress('fd00:42::42', 'ipv6');

/** Why nothing is sent there. */
export const linkLocalReason = 'link-local addresses are not allowed';

/** Whether the URL's host has a link-local address. @throws Error of the lookup */
export async function isLinkLocal(url: string): Promise<boolean> {
  return isLinkLocalHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** @param host a name or an IP address @throws Error of the lookup */
export async function isLinkLocalHost(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true });
  return addresses.some(({ address, family }) => linkLocal.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}
