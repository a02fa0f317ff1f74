import type { ToolContractSettings } from '@loopwatch/contract';
import { commandFacts } from './only-looks.ts';
import type { ToolIdentity } from './tool-identity.ts';

/** What a call is for, as far as its tool's contract, its name and its command tell. */
export interface CallNature {
  /** It may change the world, so that what was tried before may be tried again. */
  readonly changes: boolean;
  /** Its tool answers what it is asked, as far as its name tells; of a command, {@link changes} tells more. */
  readonly asks: boolean;
  /** Its tool is for changing something, by its contract or its name. */
  readonly edits: boolean;
  /** It runs a command line or a program. */
  readonly runs: boolean;
  /** It lets time pass, or asks how something stands; `null`: what comes back decides. */
  readonly waits: boolean | null;
  /** It operates an interface, where the first try may not do. */
  readonly gui: boolean;
  /** It writes into a field of an interface. */
  readonly enters: boolean;
  /** It runs a command that does nothing. */
  readonly idles: boolean;
  /** It gives back text that it did not write: a file, a page, a list of hits. */
  readonly reads: boolean;
}

const MUTATING =
  /(?:^|[_\-. ])(?:edit|write|patch|apply|create|delete|remove|update|insert|replace|move|rename|commit|install|set|put|post|append|save|mkdir|fix|book|merge|restart|start|stop|enable|disable|deploy|grant|revoke|upload|cancel|transfer|assign|approve|archive|publish|kill|reset|push|restore)(?:$|[_\-. ])/i;
/** Such a tool takes note, or passes something on: its answer is a receipt. */
const NOTING =
  /(?:^|[_\-. ])(?:think|thinking|thought|reason|reflect|plan|note|todo|todowrite|memo|memory|remember|log|comment|report|say|speak|tell|send|message|reply|respond|notify)(?:$|[_\-. ])/i;
const POLLER =
  /(?:^|[_\-. ])(?:poll|wait|sleep|idle|noop|no_op|status|watch|await|heartbeat|tail)(?:$|[_\-. ])/i;
/** A command line that lets time pass before it looks, or that only lets time pass. */
const SLEEPS =
  /(?:^|[;&|(\n]|\b(?:do|then|else)\b)[ \t]*(?:sleep|Start-Sleep)[ \t]|^\s*(?:noop|no-op|sleep|wait|rest|pass)\s*$/i;
const GUI =
  /(?:^|[_\-. ])(?:click|dblclick|tap|press|keypress|hover|swipe|scroll|drag|check|uncheck|focus|type|fill|input|input_text|switch_tab|send_keys|back|go_back|forward|reload|refresh)(?:$|[_\-. ])/i;
const READS =
  /(?:^|[_\-. ])(?:read|cat|view|open|show|browse|scrape|extract|search|grep|find|list|get|load|lookup|fetch|glob)(?:$|[_\-. ])/i;
/** Commands that do nothing, or say what they were told. */
const IDLES = /^\s*(?::|true|echo|printf)(?:\s|$)/;
const ENTERS = /(?:^|[_\-. ])(?:type|fill|enter|input|input_text)(?:$|[_\-. ])/i;

/** @param contract what is declared of the tool; it wins over what its name and its command say */
export function callNature(identity: ToolIdentity, contract: ToolContractSettings | undefined): CallNature {
  const words = toolWords(identity.name);
  const { line = '', onlyLooks: looks } = commandFacts(identity);
  const edits = contract?.mutating ?? (looks !== true && MUTATING.test(words));
  const changes = contract?.mutating ?? (looks === undefined ? edits : !looks);
  const sleeps = SLEEPS.test(line);
  return {
    changes,
    asks: !edits && !NOTING.test(words),
    edits,
    runs: looks !== undefined,
    waits: contract?.poller ?? (sleeps || POLLER.test(words) ? true : null),
    gui: contract?.gui ?? GUI.test(words),
    enters: ENTERS.test(words),
    reads: !changes && (contract?.mutating === false || READS.test(words)),
    idles: IDLES.test(line),
  };
}

/** `getJobStatus` and `get_job_status` are the same words. */
function toolWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
}
