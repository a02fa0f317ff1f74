import { describe, expect, it } from 'vitest';
import { userOfClaims } from '../../src/security/oidc-role.ts';

describe('claims', () => {
  const rules = { roleClaim: 'groups', operators: ['sre'], viewers: ['staff'], defaultRole: 'none' } as const;
  it.each([
    [{ groups: ['staff', 'sre'] }, {}, 'operator'],
    [{ groups: 'staff other' }, {}, 'viewer'],
    [{ groups: 'srex' }, {}, undefined],
    [{ groups: { sre: true } }, {}, undefined],
    [{ groups: [['sre']] }, {}, undefined],
    [{}, { defaultRole: 'viewer' as const }, 'viewer'],
    [{ realm_access: { roles: ['sre'] } }, { roleClaim: 'realm_access.roles' }, 'operator'],
    [{ 'https://acme.example/roles': ['sre'] }, { roleClaim: 'https://acme.example/roles' }, 'operator'],
    [{}, { roleClaim: '__proto__.toString' }, undefined],
  ])('%j with %j: %s', (said, more, role) => {
    expect(userOfClaims(said, { ...rules, ...more })?.role).toBe(role);
  });

  it.each([
    [{ preferred_username: ' ada ', email: 'a@b' }, 'ada'],
    [{ preferred_username: '', email: 'a@b', sub: '1' }, 'a@b'],
    [{ sub: '00u1' }, '00u1'],
    [{ name: 'x'.repeat(500) }, 'x'.repeat(100)],
  ])('%j are called %s', (said, name) => {
    expect(userOfClaims({ ...said, groups: ['sre'] }, rules)?.name).toBe(name);
  });
});
