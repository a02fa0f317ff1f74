/** Compressed data exceeds the limit once uncompressed. */
export class UnpackedTooLarge extends Error {
  override readonly name = 'UnpackedTooLarge';

  constructor(limit: number) {
    super(`it unpacks to more than ${limit.toLocaleString('en-US')} bytes`);
  }
}
