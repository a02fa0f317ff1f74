import { allowedValues, didYouMean, nearest } from '@loopwatch/contract/internal';
import { commandName, commandSettings } from './chat-commands.ts';
import { unknownSetting } from './merge-settings.ts';
import { belongsToProcess } from './process-settings.ts';
import type { Refusal } from './refusal.ts';
import { sessionPaths } from './session-settings.ts';
import { shownValue } from './shown-value.ts';

/** Words for rejected settings; they name the key, the value and what is allowed. */
export function refusalText(...refusals: readonly Refusal[]): string {
  return refusals.map(textOf).join('; ');
}

function textOf(refusal: Refusal): string {
  if ('path' in refusal) return unknownPath(refusal.path);
  if ('values' in refusal) return invalidValues(refusal);
  if ('verb' in refusal) {
    const { verb } = refusal;
    const example = verb === 'set' ? 'tool-loop-max-repeats=4' : 'tool-loop-max-repeats';
    return `!/${verb} takes settings in parentheses, for example !/${verb}(${example})`;
  }
  const { name } = refusal;
  if ('given' in refusal)
    return `${name} is ${JSON.stringify(refusal.given)}; allowed: ${allowedValues(refusal.schema)}`;
  return `${name} is no setting${didYouMean(meant(commandName(name)))}`;
}

function unknownPath(path: string): string {
  return belongsToProcess(path) ?? unknownSetting(path, 'a session', sessionPaths);
}

function invalidValues({ values, issues }: Extract<Refusal, { issues: unknown }>): string {
  const faults = issues.map(({ path, message }) => {
    const key = path.join('.');
    // The given path may be above the invalid one, as a whole block, or below it, as a key that its block does not have.
    const given = Object.keys(values).find(
      (one) => `${key}.`.startsWith(`${one}.`) || one.startsWith(`${key}.`),
    );
    return `${given ?? key} = ${shownValue(values[given ?? key])}: ${message}`;
  });
  return faults.join('; ');
}

/** Length of the prefix that distinguishes the settings. */
const TELLING_UNITS = 'tool_loop_max'.length;

/** The known name that was probably meant: one with the same prefix, else a similar one. */
function meant(name: string): string | undefined {
  const names = [...commandSettings.keys()];
  const alike = names.filter((known) => known.startsWith(name.slice(0, TELLING_UNITS)));
  if (name.length < TELLING_UNITS || alike.length === 0) return nearest(name, names);
  return nearest(name, alike) ?? alike[0];
}
