import { messageOf } from '@loopwatch/contract';

/** Message of any thrown value. */
export function errorText(error: unknown): string {
  return messageOf(error);
}
