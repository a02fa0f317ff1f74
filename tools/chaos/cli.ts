/** Reads a numeric option; any other value ends the process with exit code 2. */
export function numberOption(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  process.stderr.write(`--${name}: a number is expected, not ${JSON.stringify(text)}\n`);
  process.exit(2);
}

/** Reads an option with a few values; any other ends the process with exit code 2. */
export function choiceOption<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  process.stderr.write(`--${name}: ${choices.join(' or ')} is expected, not ${JSON.stringify(text)}\n`);
  process.exit(2);
}

/** Logs progress to stderr, with the seconds since the call. */
export function progress(): (text: string) => void {
  const began = performance.now();
  return (text) => {
    process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${text}\n`);
  };
}
