/** Invalid flags, settings or input. The message is for users. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly exitCode = 2;
}
