/** Thrown when the command was asked for something it cannot do: bad flags, settings or input. The text is for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly exitCode = 2;
}
