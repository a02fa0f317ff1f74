import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';

/** Where clouds give a machine its credentials, without asking who calls. No receiver of messages is there. */
const credentialHosts = new BlockList();
credentialHosts.addSubnet('169.254.0.0', 16, 'ipv4');
credentialHosts.addSubnet('fe80::', 10, 'ipv6');
// The following are not link-local. Alibaba Cloud:
credentialHosts.addAddress('100.100.100.200', 'ipv4');
// AWS: instances, and pods of EKS.
credentialHosts.addAddress('fd00:ec2::254', 'ipv6');
credentialHosts.addAddress('fd00:ec2::23', 'ipv6');
// Google Cloud.
credentialHosts.addAddress('fd20:ce::254', 'ipv6');
// Scaleway.
credentialHosts.addAddress('fd00:42::42', 'ipv6');
// Azure, and Oracle Cloud.
credentialHosts.addAddress('168.63.129.16', 'ipv4');
credentialHosts.addAddress('192.0.0.192', 'ipv4');
// The link-local ones of IPv4 within IPv6: translated (NAT64, SIIT), compatible, and tunnelled (6to4).
for (const prefix of ['64:ff9b::', '64:ff9b:1::', '::ffff:0:', '::'])
  credentialHosts.addSubnet(`${prefix}a9fe:0`, 112, 'ipv6');
credentialHosts.addSubnet('2002:a9fe::', 32, 'ipv6');

/** Why nothing is sent there. */
export const credentialHostReason =
  'addresses where clouds serve credentials (link-local ones and a few others) are not allowed';

/** Whether the URL's host has such an address. @throws Error of the lookup */
export async function isCredentialUrl(url: string): Promise<boolean> {
  return isCredentialHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** @param host a name or an IP address @throws Error of the lookup */
export async function isCredentialHost(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true });
  return addresses.some(({ address, family }) =>
    credentialHosts.check(address, family === 6 ? 'ipv6' : 'ipv4'),
  );
}
