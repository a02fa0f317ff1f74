import { memo } from '../lib/memo.ts';
import { separateWords, wordIn } from '../lib/separate-words.ts';
import { AMENDS, BRINGS_ABOUT, SETS_STATE } from './verbs.ts';

/* What the name of a tool says about its calls. */

const expressions = {
  mutates: wordIn(
    `${SETS_STATE}|${AMENDS}|${BRINGS_ABOUT}|rename|mkdir|book|revoke|cancel|transfer|assign|approve|archive`,
  ),
  /** Takes notes or forwards something: its result is a mere receipt. */
  notes: wordIn(
    'think|thinking|thought|reason|reflect|plan|note|todo|todowrite|memo|memory|remember|log|comment|report|say|speak|tell|send|message|reply|respond|notify',
  ),
  polls: wordIn(
    'poll|wait|sleep|idle|noop|no_op|status|progress|watch|await|heartbeat|tail|(?:terminal|process|shell|bash|task|job|command|background)_(?:output|logs?)|(?:check|read)_process|last_command',
  ),
  /** Looks for what others send. */
  receives: wordIn('check_messages|inbox|mailbox|sms|otp|replies|notifications|approvals?'),
  /** Its answer is chance: the same one several times in a row says nothing. */
  draws: wordIn('roll$|dice|die|coin|random'),
  operates: wordIn(
    'click|dblclick|tap|press|keypress|hover|swipe|[hv]?scroll|wheel|flick|fling|drag|check|uncheck|focus|type|fill|input|switch_tab|send_keys|back|forward|reload|refresh',
  ),
  /** Moves on in something shown piece by piece. */
  navigates: wordIn(
    'next|previous|prev|more|paginate|pa?ge?(?:up|d(?:ow)?n|turn)|turn|flip|increment|decrement|increase|decrease|plus|minus|zoom|pan|arrow|up|down|left|right|advance|slider?|carousel|navigate|jump|seek|skip|rewind|pinch|rotate|spin|expand|undo|redo',
  ),
  /** Moves through a place, if its arguments say where to. */
  goes: wordIn('go|walk|move|drive|fly|step|run|swim|climb|travel|head|forward|backward|ahead'),
  /** One tool for all of an interface; its arguments say what it does. */
  isInterface:
    /(?:^|[_\-. ])(?:computer|browser|screen|desktop|mouse|keyboard|key|keys|hotkey|page|ui|gui|device|phone|android|remote|controller|gamepad|joystick|action|act|interact|do)(?:$|[_\-. \d])/i,
  enters: wordIn('type|fill|enter|input'),
  reads: wordIn(
    'read|cat|view|open|show|browse|scrape|extract|search|grep|find|list|get|load|lookup|fetch|glob|goto|visit',
  ),
  /** Looks something up, in other words. */
  queries: wordIn('query|retrieve|inspect|describe|explore|explain|count|crawl'),
  /** Passes control on, as opposed to handing out work. */
  handsOver: wordIn(
    'hand[_-]?(?:off|over|back)|(?:route|connect|forward|redirect|request|assign|call|contact|pass|send|refer|transfer[a-z]*|derivar|weiterleiten)[_-](?:[a-z]+[_-]){0,2}(?:human[oa]?|humain|mensch[a-z]*|operator|representative|supervisor)(?:[_-](?:agent|support|help|assistance))?$|transfer[_-](?:back[_-])?(?:to|conversation|chat|call|control|agent|user|customer)|switch[_-](?:to[_-])?(?:agent|mode|role)|(?:create[_-])?e[sc][ck]al(?:at\\w+|ar|ad\\w|er|iere?n?)',
  ),
  /** Puts another setting in place. */
  sets: wordIn('set|select|enable|disable|toggle|switch|emulate|throttle|activate|configure'),
  /** Runs what it is given. */
  runs: wordIn(
    'run|runs|exec|execute|eval|evaluate|i?python\\d?|node|js|javascript|ruby|sql|repl|jupyter|interpreter|interpret|script',
  ),
  /** Runs whatever its only text says. */
  isShell:
    /(?:^|__)(?:(?:run|exec|execute|local)_)?(?:in_)?(?:bash|zsh|shell|terminal|powershell|pwsh|command|cmd)(?:_(?:command|cmd|tool|exec|execute|run))?$/i,
};

/** Tools in which the agent keeps its own plan, tells what it is about, or thinks; in lower case, without separators. */
const PLANS =
  /^(?:(?:write|update|manage|read|get|set)?todos?(?:write|read|update|list)?(?:list)?|updateplan|updatetopic|reportintent|tasktracker|think|thinking|sequentialthinking)$/;

/** What a name says. */
export type ToolWords = Readonly<Record<keyof typeof expressions | 'keepsPlan', boolean>>;

/** Sessions have few tools, and call each of them many times. */
const known = memo<ToolWords>(1000);

export function toolWords(name: string): ToolWords {
  return known(name, () => {
    const words = separateWords(name);
    const said = Object.entries(expressions).map(([what, expression]) => [what, expression.test(words)]);
    // Without the server in `mcp__notes__update_todos`.
    const own = name.slice(name.lastIndexOf('__') + 1);
    const keepsPlan = PLANS.test(own.replace(/[_\-. ]/g, '').toLowerCase());
    return { ...Object.fromEntries(said), keepsPlan } as ToolWords;
  });
}

/** Whether a call passes control to another agent or a person. */
export function handsOver(name: string): boolean {
  const said = toolWords(name);
  return said.handsOver && !said.reads;
}

/** Whether a tool only keeps the agent's own plan, or lets it think. */
export function keepsPlan(name: string): boolean {
  return toolWords(name).keepsPlan;
}

/** Whether a tool's name says that it looks something up or operates an interface, and not that it acts, notes or waits. */
export function looksOrOperates(name: string): boolean {
  const said = toolWords(name);
  if (!said.reads && !said.queries && !said.operates && !said.navigates) return false;
  return !said.mutates && !said.notes && !said.polls && !said.draws && !said.handsOver;
}
