import { jsonFrom, type ToolContractSettings } from '@loopwatch/contract';
import { separateWords, wordIn } from '../lib/separate-words.ts';
import type { CallNature, PastCall, ToolIdentity } from './step.ts';
import { AMENDS, BRINGS_ABOUT, SETS_STATE } from './verbs.ts';

const MUTATING = wordIn(
  `${SETS_STATE}|${AMENDS}|${BRINGS_ABOUT}|rename|mkdir|book|revoke|cancel|transfer|assign|approve|archive`,
);
/** Tools that take notes or forward something: their result is a mere receipt. */
const NOTING = wordIn(
  'think|thinking|thought|reason|reflect|plan|note|todo|todowrite|memo|memory|remember|log|comment|report|say|speak|tell|send|message|reply|respond|notify',
);
/** Tools in which the agent keeps its own plan, tells what it is about, or thinks; in lower case, without separators. */
const PLANS =
  /^(?:(?:write|update|manage|read|get|set)?todos?(?:write|read|update|list)?(?:list)?|updateplan|updatetopic|reportintent|tasktracker|think|thinking|sequentialthinking)$/;
const POLLER = wordIn('poll|wait|sleep|idle|noop|no_op|status|watch|await|heartbeat|tail');
/** Tools that look for what others send. */
const RECEIVES = wordIn('inbox|mailbox|sms|otp|replies|notifications|approvals?');
/** Tools whose answer is chance: the same one several times in a row says nothing. */
const CHANCE = wordIn('roll$|dice|die|coin|random');
/** A command line that sleeps before it looks, or that only sleeps. */
const SLEEPS =
  /(?:^|[;&|(\n]|\b(?:do|then|else)\b)[ \t]*(?:sleep|Start-Sleep)[ \t]|^\s*(?:noop|no-op|sleep|wait|rest|pass)\s*$/i;
/** Command lines that ask for the state of something that changes by itself. */
const ASKS_STATE =
  /^(?:sudo |watch |timeout \d+\w? |time )*(?:(?:kubectl|oc|helm|k9s) (?:-\S+ |-n \S+ )*(?:get|describe|rollout status|top|status)\b|(?:systemctl|service) (?:-\S+ )*(?:status|is-active|show)\b|service \S+ status\b|supervisorctl status\b|pm2 (?:status|ls|list|show)\b|(?:docker|podman)(?: compose| container|-compose)? (?:-\S+ )*(?:ps|ls|inspect|logs|stats)\b|gh (?:run|pr|workflow) (?:view|list|checks|status|watch)\b|glab (?:ci|mr) (?:status|view|list)\b|(?:aws|gcloud|az) .*\b(?:describe|get|show|list|ls|status)\b|(?:squeue|sacct|qstat|bjobs|nvidia-smi|uptime|jobs|pgrep|ps|ss|netstat|lsof)\b|tail\b|journalctl\b|(?:dig|nslookup)\b|(?:curl|wget|http)\b(?!.* (?:post|put|patch|-d|--data)\b).*(?<![a-z])(?:get|check|job|run|build|task)?(?:(?:health|ready|live)z?|readiness|liveness|status|ping|progress|jobs?|runs?|builds?|deploy(?:ment)?s?|pipelines?|state)(?:_?id)?(?![a-z])|(?:curl|wget) (?:-\S+ )*(?:--head|--spider)\b|(?:pg_isready|mysqladmin ping|redis-cli ping|ping|nc -z|adb (?:-\S+ )*(?:devices|get-state|shell getprop)|(?:vagrant|minikube|multipass|virsh|nomad|flux|consul|brew services) (?:\S+ )?(?:status|list|ls|info|domstate|members|get))\b|(?:terraform|pulumi|flyctl|fly|heroku|vercel|argocd|circleci) .*\b(?:status|show|get|ps|list)\b)/i;
/** Asks for the head of an answer; a small letter would show it before the answer. */
const ASKS_HEAD = /^curl (?:-\S+ )*-[a-zA-Z]*I\b/;
/** Command lines that put other files or another state in place, after which the same answers mean something else. */
const ALTERS =
  /(?:^|[;&|(\n][ \t]*)(?:sudo )?(?:git (?:-\S+ \S+ )*(?:checkout|switch|reset|bisect|stash|revert|merge|rebase|apply|am|cherry-pick|restore|pull|clean)\b|(?:sed|perl) .*-\w*i|(?:mv|cp|rm|ln|mkdir|touch|chmod|patch|unzip|tar|truncate|install)\s|(?:npm|pnpm|yarn|pip3?|uv|cargo|apt(?:-get)?|brew|gem|go) (?:\w+ )?(?:install|add|remove|uninstall|update|upgrade|get|ci)\b|(?:export|unset|source|nvm|pyenv|alembic|createdb|dropdb)\s)|(?<![0-9&])>{1,2}(?!&|\s*\/dev\/null)/i;
const GUI = wordIn(
  'click|dblclick|tap|press|keypress|hover|swipe|scroll|wheel|flick|fling|drag|check|uncheck|focus|type|fill|input|switch_tab|send_keys|back|forward|reload|refresh',
);
/** Further names of tools that move on in something shown piece by piece. */
const NAVIGATES = wordIn(
  'next|previous|prev|more|paginate|page(?:up|down|turn)|turn|flip|increment|decrement|increase|decrease|plus|minus|zoom|pan|arrow|up|down|left|right|advance|slide|carousel|navigate|jump|seek|skip|rewind|pinch|rotate|spin|expand|undo|redo',
);
/** One tool for all of an interface; its arguments say what it does. */
const INTERFACE =
  /(?:^|[_\-. ])(?:computer|browser|screen|desktop|mouse|keyboard|key|keys|hotkey|page|ui|gui|device|phone|android|action|act|interact|do)(?:$|[_\-. \d])/i;
const INTERFACE_ACTION =
  /"(?:action|type|kind|command|key|keys|text|name|gesture|event|operation|button|direction)":"[^"]{0,40}(?:forward|dpad|scroll|swipe|page.?(?:down|up)|pg(?:dn|up)|arrow|key_|\b(?:down|up|left|right|space|tab|next|click|tap|press)\b|_(?:click|press)|\+)/i;
/** Code, command lines and keys that move on. */
const MOVES =
  /scroll(?:By|To|IntoView)?\(|scrollTop\b|mouse\.wheel|keyboard\.press|\binput (?:\w+ )?(?:swipe|roll|keyevent)|\bui swipe|\bxdotool (?:key|click)|(?<![a-z])(?:page_?|pg_?)(?:down|up|dn)(?![a-z])|\{(?:down|up|left|right|tab|space)\}/i;
const READS = wordIn(
  'read|cat|view|open|show|browse|scrape|extract|search|grep|find|list|get|load|lookup|fetch|glob',
);
/** Further names of tools that look something up. */
const QUERIES = wordIn('query|retrieve|inspect|describe|explore|explain|count|crawl');
/** Passes control on, as opposed to handing out work. */
const HANDS_OVER = wordIn(
  'hand[_-]?(?:off|over|back)|(?:route|connect|forward|redirect|request|assign|call|contact|pass|send|refer|transfer[a-z]*|derivar|weiterleiten)[_-](?:[a-z]+[_-]){0,2}(?:human[oa]?|humain|mensch[a-z]*|operator|representative|supervisor)(?:[_-](?:agent|support|help|assistance))?$|transfer[_-](?:back[_-])?(?:to|conversation|chat|call|control|agent|user|customer)|switch[_-](?:to[_-])?(?:agent|mode|role)|(?:create[_-])?e[sc][ck]al(?:at\\w+|ar|ad\\w|er|iere?n?)',
);
/** Commands that do nothing or echo their arguments. */
const IDLES = /^\s*(?::|true|echo|printf)(?:\s|$)/;
const ENTERS = wordIn('type|fill|enter|input');

/**
 * @param args the arguments of this identity
 * @param contract the tool's contract; it wins over the tool's name and command
 */
export function callNature(
  identity: ToolIdentity,
  args: unknown,
  contract: ToolContractSettings | undefined,
): CallNature {
  const words = separateWords(identity.name);
  const { line = '', onlyLooks: isReadOnlyLine } = commandFacts(identity, args);
  const edits = contract?.mutating ?? (isReadOnlyLine !== true && MUTATING.test(words));
  const changes = contract?.mutating ?? (isReadOnlyLine === undefined ? edits : !isReadOnlyLine);
  const sleeps = SLEEPS.test(line);
  const asks = !edits && !NOTING.test(words);
  return {
    changes,
    asks,
    ...(asks && RECEIVES.test(words) && { receives: true }),
    edits,
    runs: isReadOnlyLine !== undefined,
    waits:
      contract?.poller ??
      (sleeps || POLLER.test(words) || CHANCE.test(words) || ASKS_STATE.test(line) || ASKS_HEAD.test(line)
        ? true
        : // What the plan calls pending waits for the agent.
          keepsPlan({ identity })
          ? false
          : null),
    gui: contract?.gui ?? GUI.test(words),
    navigates:
      (line === '' && !ENTERS.test(words) && navigates(words, identity.arguments, contract?.gui)) ||
      (!edits && MOVES.test(line || identity.arguments)),
    enters: ENTERS.test(words),
    reads: !changes && (contract?.mutating === false || READS.test(words)),
    idles: IDLES.test(line),
  };
}

/** Names of tools that put another setting in place. */
const SETS = wordIn('set|enable|disable|toggle|switch|emulate|throttle|activate|configure');

/** Whether a call puts another state in place. */
export function altersState({ identity, nature }: Pick<PastCall, 'identity' | 'nature'>): boolean {
  if (!nature.runs) return !nature.gui && SETS.test(separateWords(identity.name));
  return nature.changes && ALTERS.test(commandFacts(identity).line ?? '');
}

function navigates(words: string, args: string, isGui: boolean | undefined): boolean {
  if (isGui === true || GUI.test(words)) return true;
  if (INTERFACE.test(words) && INTERFACE_ACTION.test(args)) return true;
  return !MUTATING.test(words) && NAVIGATES.test(words);
}

/** Whether a call passes control to another agent or a person. */
export function handsOver({ identity: { name } }: Pick<PastCall, 'identity'>): boolean {
  const words = separateWords(name);
  return HANDS_OVER.test(words) && !READS.test(words);
}

/** Whether a call only keeps the agent's own plan, or lets it think; without the server in `mcp__notes__update_todos`. */
export function keepsPlan({ identity: { name } }: Pick<PastCall, 'identity'>): boolean {
  const own = name.slice(name.lastIndexOf('__') + 1);
  return PLANS.test(own.replace(/[_\-. ]/g, '').toLowerCase());
}

/** Whether a tool's name says that it looks something up or operates an interface, and not that it acts, notes or waits. */
export function looksOrOperates(name: string): boolean {
  const words = separateWords(name);
  if (![READS, QUERIES, GUI, NAVIGATES].some((looks) => looks.test(words))) return false;
  return ![MUTATING, NOTING, POLLER, CHANCE, HANDS_OVER].some((other) => other.test(words));
}

/** Argument names for a command line, in lower case without separators, the first of which counts, and below, for a program. */
const COMMAND = [
  ...['bash', 'cmd', 'command', 'commands', 'script', 'shell'],
  ...['commandline', 'cmdline', 'shellcommand', 'bashcommand', 'argv', 'commande', 'comando', 'befehl'],
];
/** Tools that run whatever their only text says. */
const SHELL =
  /(?:^|__)(?:(?:run|exec|execute|local)_)?(?:in_)?(?:bash|zsh|shell|terminal|powershell|pwsh|command|cmd)(?:_(?:command|cmd|tool|exec|execute|run))?$/i;
const PROGRAM = ['code', 'source', 'program', 'cell'];
/** What is written in code, not in `NO`, `A1` or a title. */
const CODE = /\w\(|[;{}\n]|\s[-+*/%=<>]{1,2}\s|^\s*(?:import|print|return|select|assert|raise)\b/i;
/** Tools that run what they are given. */
const RUNS = wordIn(
  'run|runs|exec|execute|eval|evaluate|i?python\\d?|node|js|javascript|ruby|sql|repl|jupyter|interpreter|interpret|script',
);

const LOOKS = new Set(
  (
    ': ls cat head tail less more grep egrep fgrep zgrep rg ag ack find fd pwd cd which whereis type file stat wc sort ' +
    'uniq cut tr awk sed tree du df env printenv echo printf date whoami id uname ps top diff cmp jq view test true ' +
    'read list show open search scroll_up scroll_down goto git'
  ).split(' '),
);
const GIT_LOOKS =
  /^git (?:-C \S+ |--no-pager )*(?:status|diff|log|show|branch|blame|grep|ls-files|rev-parse|remote)\b/;
/** Output redirected to a file, files edited in place, or an action run on files found. */
const CHANGES =
  /(?<![0-9&])>{1,2}(?!&|\s*\/dev\/null)|\bsed\b.* -[a-z]*i|\s-(?:delete|exec|execdir)\b|\btee\b/;
const BETWEEN = /&&|\|\||[;|\n]/;
/** What may stand in front of a command that is run as it is; a part of an expression. */
export const AHEAD = 'sudo|time|env|timeout \\d+\\w?|[A-Z_][A-Z0-9_]*=\\S*';
const ALL_AHEAD = new RegExp(`^(?:(?:${AHEAD})\\s+)*`);

/** The command line of a call, and whether the command only reads. */
export interface CommandFacts {
  /** Present if the call runs one and its arguments are short enough to be stored. */
  readonly line?: string;
  /** `true` for a command that only reads; `false` for any other command or a program. */
  readonly onlyLooks?: boolean;
}

/** @param args the arguments of this identity, to save parsing them again if they are whole */
export function commandFacts(
  { name: tool, arguments: canonical, digest }: ToolIdentity,
  args?: unknown,
): CommandFacts {
  const value = digest === undefined && isFields(args) ? args : parsed(canonical);
  if (typeof value === 'string') return {};
  const name = commandField(tool, value);
  const line = name === undefined ? undefined : commandLine(value[name]);
  if (typeof line === 'string') return { line, onlyLooks: digest === undefined && isReadOnlyLine(line) };
  const isProgram = Object.entries(value).some(
    ([name, field]) =>
      PROGRAM.includes(name) &&
      typeof field === 'string' &&
      (digest !== undefined || CODE.test(field) || RUNS.test(separateWords(tool))),
  );
  return isProgram ? { onlyLooks: false } : {};
}

/** The name of the argument that is a command line; undefined if none is. */
export function commandField(tool: string, args: Readonly<Record<string, unknown>>): string | undefined {
  const fields = Object.keys(args).filter((field) => args[field] !== undefined);
  const plain = fields.map((field) => field.replace(/[_-]/g, '').toLowerCase());
  const known = COMMAND.find((name) => plain.includes(name));
  if (known !== undefined) return fields[plain.indexOf(known)];
  const texts = fields.filter((field) => typeof args[field] === 'string');
  return texts.length === 1 && SHELL.test(separateWords(tool)) ? texts[0] : undefined;
}

/** A command may be a list of words, possibly with a shell: `["bash", "-lc", "cat a.ts"]`. */
function commandLine(command: unknown): unknown {
  if (!Array.isArray(command)) return command;
  const words = command.map(String);
  return /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '')
    ? words[2]
    : words.join(' ');
}

function isReadOnlyLine(command: string): boolean {
  if (CHANGES.test(command)) return false;
  return command.split(BETWEEN).every((part) => {
    const simple = part.trim().replace(ALL_AHEAD, '');
    const [word = ''] = simple.split(/\s/, 1);
    return word === '' || (word === 'git' ? GIT_LOOKS.test(simple) : LOOKS.has(word));
  });
}

/** The arguments by name. Truncated ones yield the names found in their text, with empty values. */
function parsed(canonical: string): Record<string, unknown> | string {
  // Truncated arguments need not be parsed: an exception takes longer than all the rest.
  const value =
    canonical.startsWith('{') && !canonical.trimEnd().endsWith('}') ? undefined : jsonFrom(canonical);
  if (value === undefined) {
    const names = [...canonical.matchAll(/"(\w+)":"/g)].map(([, name = '']) => name);
    return Object.fromEntries(names.map((name) => [name, '']));
  }
  return isFields(value) ? value : canonical;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
