/** What is compressed would take more room than it may. */
export class UnpackedTooLarge extends Error {
  override readonly name = 'UnpackedTooLarge';

  constructor(limit: number) {
    super(`it unpacks to more than ${limit.toLocaleString('en-US')} bytes`);
  }
}
