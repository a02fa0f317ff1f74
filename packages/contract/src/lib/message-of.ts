/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  // An object may hold a `toString` that is no function.
  return typeof error === 'object' && error !== null ? 'an object was thrown' : String(error);
}
