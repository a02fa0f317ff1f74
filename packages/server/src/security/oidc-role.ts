import type { Role } from '@loopwatch/contract/api';
import type { User } from './user.ts';

/** Maps claims of an identity provider to roles. */
export interface RoleRules {
  /** Dotted path of the claim that holds a user's roles. */
  readonly roleClaim: string;
  readonly operators: readonly string[];
  readonly viewers: readonly string[];
  readonly defaultRole: Role | 'none';
}

type Claims = Readonly<Record<string, unknown>>;

const MAX_NAME_LENGTH = 100;

/** @returns undefined for a user without a role */
export function userOfClaims(claims: Claims, rules: RoleRules): User | undefined {
  const role = roleOf(claims, rules);
  return role === 'none' ? undefined : { name: nameOf(claims), role };
}

/** The most readable name that the claims hold. */
export function nameOf(claims: Claims): string {
  const names = [claims['preferred_username'], claims['email'], claims['name'], claims['sub']];
  const name = names.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  return (name ?? 'unknown').trim().slice(0, MAX_NAME_LENGTH);
}

function roleOf(claims: Claims, { roleClaim, operators, viewers, defaultRole }: RoleRules): Role | 'none' {
  const values = valuesAt(claims, roleClaim);
  if (values.some((value) => operators.includes(value))) return 'operator';
  if (values.some((value) => viewers.includes(value))) return 'viewer';
  return defaultRole;
}

/** A claim is a list or a string, which may be space-separated like `scope`; its name may contain dots. */
function valuesAt(claims: Claims, path: string): string[] {
  let value: unknown = claims[path];
  if (value === undefined) {
    value = claims;
    for (const name of path.split('.')) {
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Claims)[name]
          : undefined;
    }
  }
  if (typeof value === 'string') return [value, ...value.split(' ')];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
