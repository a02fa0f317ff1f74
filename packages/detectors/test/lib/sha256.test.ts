import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portableSha256, sha256 } from '../../src/lib/digest.ts';

const reference = (text: string) => createHash('sha256').update(text).digest('hex');

describe.each([
  ['of the platform', sha256],
  ['for browsers', portableSha256],
])('SHA-256 %s', (_, hashOf) => {
  // The examples of the standard, and the lengths at which the padding takes another block.
  it.each([
    ['an empty text', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['one block', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'two blocks',
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    [
      'a million letters',
      'a'.repeat(1e6),
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    ],
  ])('the hash of %s', (_, text, hash) => expect(hashOf(text, 64)).toBe(hash));

  it.each([54, 55, 56, 57, 63, 64, 65, 119, 120, 128])('a text of %i bytes is padded correctly', (length) => {
    expect(hashOf('a'.repeat(length), 64)).toBe(reference('a'.repeat(length)));
  });

  it('agrees with the platform for any text and number of digits', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 1, max: 64 }),
        (text, digits) => {
          expect(hashOf(text, digits)).toBe(reference(text).slice(0, digits));
        },
      ),
    );
  });
});
