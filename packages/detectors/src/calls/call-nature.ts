import type { ToolContractSettings } from '@loopwatch/contract';
import { ALTERS, commandFacts, IDLES, onlyAsks, waits } from './command-line.ts';
import type { CallNature, PastCall } from './step.ts';
import type { ToolIdentity } from './tool-identity.ts';
import { type ToolWords, toolWords } from './tool-words.ts';

/** What the arguments of a tool for all of an interface say. */
const INTERFACE_ACTION =
  /"(?:action|type|kind|command|key|keys|text|name|gesture|event|op|operation|button|direction)":\[?"[^"]{0,40}(?:forward|dpad|scroll|swipe|wheel|page.?(?:down|up)|pg(?:dn|up)|arrow|key_|\b(?:down|up|left|right|space|tab|next|click|tap|press|ctrl|control|alt|cmd)\b|_(?:click|press)|\+)/i;
/** Arguments that say where to. */
const WHERE =
  /"(?:north|south|east|west|up|down|left|right|forwards?|backwards?|ahead|[nsewNSEW])"|"(?:direction|heading|distance|forward|steps|c?m|met(?:re|er)s)":/i;
/** Statements of SQL that change something, or put another state in place. */
const STATEMENT =
  /":"\s*(?:(?:insert|delete|update|create|alter|drop) (?:\S+ )?(?:into|from|set|table|index|view)\b|set \w+ ?(?:=|\w))/i;
/** Arguments that ask for what others send. */
const INBOX = /"inbox"|unread/i;
/** Code, command lines and keys that move on. */
const MOVES =
  /scroll(?:By|To|IntoView)?\(|scrollTop\b|mouse\.wheel|keyboard\.press|\binput (?:\w+ )?(?:swipe|roll|keyevent)|\bui swipe|\bxdotool (?:key|click)|(?<![a-z])(?:page_?|pg_?)(?:down|up|dn)(?![a-z])|\{(?:down|up|left|right|tab|space)\}/i;

/**
 * @param args the arguments of this identity
 * @param contract the tool's contract; it wins over the tool's name and command
 */
export function callNature(
  identity: ToolIdentity,
  args: unknown,
  contract: ToolContractSettings | undefined,
): CallNature {
  const said = toolWords(identity.name);
  const { line = '', onlyLooks: isReadOnlyLine } = commandFacts(identity, args);
  // The agent's own plan is no state of what it works on.
  const mutating = contract?.mutating ?? (said.keepsPlan ? false : undefined);
  const edits = mutating ?? (isReadOnlyLine !== true && said.mutates);
  const changes =
    mutating ??
    (isReadOnlyLine === undefined
      ? edits || (!said.reads && STATEMENT.test(identity.arguments))
      : !isReadOnlyLine);
  const asks = !edits && !said.notes;
  return {
    changes,
    ...(changes && onlyAsks(line) && { onlyAsks: true as const }),
    asks,
    ...(asks && (said.receives || INBOX.test(identity.arguments)) && { receives: true }),
    edits,
    runs: isReadOnlyLine !== undefined,
    waits:
      contract?.poller ??
      (said.polls || said.draws || waits(line)
        ? true
        : // What the plan calls pending waits for the agent.
          said.keepsPlan
          ? false
          : null),
    gui: contract?.gui ?? said.operates,
    navigates:
      (line === '' && !said.enters && navigates(said, identity.arguments, contract?.gui)) ||
      (!edits && MOVES.test(line || identity.arguments)),
    enters: said.enters,
    reads: !changes && (mutating === false || said.reads),
    idles: IDLES.test(line),
  };
}

/** Whether a call puts another state in place. */
export function altersState({ identity, nature }: Pick<PastCall, 'identity' | 'nature'>): boolean {
  if (!nature.runs)
    return !nature.gui && (toolWords(identity.name).sets || STATEMENT.test(identity.arguments));
  return nature.changes && ALTERS.test(commandFacts(identity).line ?? '');
}

function navigates(said: ToolWords, args: string, isGui: boolean | undefined): boolean {
  if (isGui === true || said.operates) return true;
  if (said.isInterface && INTERFACE_ACTION.test(args)) return true;
  if (said.goes && WHERE.test(args)) return true;
  return !said.mutates && said.navigates;
}
