import { expect, it } from 'vitest';
import { Access } from '../../src/security/access.ts';
import { START } from '../verdicts.ts';

it('logins: servers with the same key and secrets accept each other’s cookies, others do not', () => {
  const session = (secret: string, key = 'k') => {
    const access = new Access({}, () => START, secret);
    access.useKey(Buffer.alloc(32, key));
    return access;
  };
  const cookie = session('shh').loginCookie({ name: 'ada', role: 'operator' }, false).replace(/;.*/, '');
  expect(session('shh').userOf({ cookie })).toEqual({ name: 'ada', role: 'operator' });
  expect(session('other').userOf({ cookie })).toBeUndefined();
  expect(session('shh', 'another key').userOf({ cookie })).toBeUndefined();
  expect(new Access({}, () => START, 'shh').userOf({ cookie })).toBeUndefined();
});
