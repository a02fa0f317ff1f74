import type { Role } from '@loopwatch/contract/api';

/** Who asks. */
export interface User {
  readonly name: string;
  readonly role: Role;
}

/** Where no login is needed, every client may do everything. */
export const anybody: User = { name: 'operator', role: 'operator' };

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
  return (userOf(request) ?? anybody).name;
}
