/** Invalid input to the evaluation; the message names it. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
