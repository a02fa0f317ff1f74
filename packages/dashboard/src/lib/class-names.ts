/** The classes of an element that has some of several modules. */
export function classNames(...names: readonly (string | undefined)[]): string {
  return names.filter((name) => name !== undefined).join(' ');
}
