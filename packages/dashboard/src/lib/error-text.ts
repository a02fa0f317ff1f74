import { messageOf } from '@loopwatch/contract';

/** What went wrong, as a sentence. */
export function errorText(error: unknown): string {
  return messageOf(error);
}
