/** Invalid input to the evaluation; the message names it. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}
