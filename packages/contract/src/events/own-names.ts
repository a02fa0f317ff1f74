/** What other APIs call the arguments and the result of a call. */
const otherNames = new Map([
  ['tool_call_request', { own: 'args', others: ['arguments', 'input'] }],
  ['tool_result', { own: 'result', others: ['output', 'content'] }],
]);

/** Arguments and results under another name would be ignored, so that different calls look alike. */
export function withOwnNames<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const event = value as Readonly<Record<string, unknown>>;
  const names = otherNames.get(event['type'] as string);
  if (names === undefined || event[names.own] != null || event[`${names.own}Hash`] != null) return value;
  const other = names.others.find((name) => event[name] != null);
  return other === undefined ? value : ({ ...event, [names.own]: event[other] } as T);
}
