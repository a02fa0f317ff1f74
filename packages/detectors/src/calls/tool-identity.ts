import { fingerprint, sha256OfUnits } from '../lib/digest.ts';
import { ownCopy } from '../lib/own-copy.ts';

/** Longer canonical arguments are stored as a prefix and a SHA-256 digest. */
const KEPT_UNITS = 512;

/** The identity of a call: the tool and its canonical arguments, never the call id. */
export interface ToolIdentity {
  readonly name: string;
  /** Canonical arguments, or their first units if they are long. */
  readonly arguments: string;
  /** Length of the whole canonical form, in UTF-16 code units. */
  readonly length: number;
  /** SHA-256 of the whole canonical form if `arguments` holds only its beginning. */
  readonly digest: string | undefined;
}

export function toolIdentity(name: string, canonical: string): ToolIdentity {
  const { length } = canonical;
  if (length <= KEPT_UNITS) return { name, arguments: canonical, length, digest: undefined };
  const kept = ownCopy(canonical, 0, KEPT_UNITS);
  return { name, arguments: kept, length, digest: sha256OfUnits(canonical) };
}

/** Equal for equal identities. */
export function identityKey({ name, arguments: canonical, digest = '' }: ToolIdentity): string {
  return fingerprint(`${name}\n${canonical}${digest}`);
}

export function sameIdentity(a: ToolIdentity, b: ToolIdentity): boolean {
  return a.length === b.length && a.digest === b.digest && a.name === b.name && a.arguments === b.arguments;
}

/** The identity in readable form: `read_file:{"path":"a"}`. */
export function signature(identity: ToolIdentity): string {
  return `${identity.name}:${identity.arguments}${identity.digest === undefined ? '' : '…'}`;
}
