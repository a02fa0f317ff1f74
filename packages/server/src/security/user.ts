import { type Role, userHeader, userNameSchema } from '@loopwatch/contract/api';
import { HttpProblem } from '../http/problem.ts';

/** The user behind a request. */
export interface User {
  readonly name: string;
  readonly role: Role;
  /** The id of the created token that identifies the user; its name is the user's. */
  readonly tokenId?: string | undefined;
}

/** Every client, when no login is needed. */
export const anonymousOperator: User = { name: 'operator', role: 'operator' };

/**
 * Applies the user name that a client sends.
 *
 * @param header absent: the login's name stays
 * @throws HttpProblem 400 for an invalid name
 */
export function withRequestedName(user: User, header: string | undefined): User {
  if (header === undefined) return user;
  const name = userNameSchema.safeParse(decoded(header));
  if (!name.success) throw new HttpProblem(400, `${userHeader}: expected a percent-encoded name`);
  return { ...user, name: name.data };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const users = new WeakMap<object, User>();

/** Attaches the user to a request. */
export function setUser(request: object, user: User): void {
  users.set(request, user);
}

export function userOf(request: object): User | undefined {
  return users.get(request);
}

/** The name that a change is recorded under. */
export function userName(request: object): string {
  return (userOf(request) ?? anonymousOperator).name;
}
