import { type Role, userHeader, userNameSchema } from '@loopwatch/contract/api';
import { HttpProblem } from '../http/problem.ts';

/** Who asks. */
export interface User {
  readonly name: string;
  readonly role: Role;
}

/** Where no login is needed, every client may do everything. */
export const anonymousOperator: User = { name: 'operator', role: 'operator' };

/**
 * The user by the name that they give themselves.
 *
 * @param header as the request has it; absent: the login's name stays
 * @throws HttpProblem 400 when it is no name
 */
export function withRequestedName(user: User, header: string | undefined): User {
  if (header === undefined) return user;
  const name = userNameSchema.safeParse(decoded(header));
  if (!name.success) throw new HttpProblem(400, `${userHeader}: give a name, percent-encoded`);
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

/** Notes who sent a request. */
export function setUser(request: object, user: User): void {
  users.set(request, user);
}

export function userOf(request: object): User | undefined {
  return users.get(request);
}

/** The name that a change is noted under. */
export function userName(request: object): string {
  return (userOf(request) ?? anonymousOperator).name;
}
