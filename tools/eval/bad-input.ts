/** Something given to the evaluation is wrong; the message names it. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}
