/** For the JSON schema of an object with such a refinement: it needs at least one of these members. */
export function oneRequired(...names: string[]): { anyOf: { required: string[] }[] } {
  return { anyOf: names.map((name) => ({ required: [name] })) };
}
