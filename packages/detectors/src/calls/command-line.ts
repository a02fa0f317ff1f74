import { jsonFrom } from '@loopwatch/contract';
import type { ToolIdentity } from './tool-identity.ts';
import { toolWords } from './tool-words.ts';

/* The command line of a call, and what it says. */

/** Argument names for a command line, in lower case without separators, the first of which counts, and below, for a program. */
const COMMAND = (
  'bash cmd command commands script shell commandline cmdline shellcommand bashcommand argv ' +
  'commande comando befehl'
).split(' ');
const PROGRAM = ['code', 'source', 'program', 'cell'];
/** What is written in code, not in `NO`, `A1` or a title. */
const CODE = /\w\(|[;{}\n]|\s[-+*/%=<>]{1,2}\s|^\s*(?:import|print|return|select|assert|raise)\b/i;
const LOOKS = new Set(
  (
    ': ls cat head tail less more grep egrep fgrep zgrep rg ag ack find fd pwd cd which whereis type file stat wc sort ' +
    'uniq cut tr awk sed tree du df env printenv echo printf date whoami id uname ps top diff cmp jq view test true ' +
    'read list show open search scroll_up scroll_down goto git'
  ).split(' '),
);
/** The same of PowerShell. */
const CMDLETS =
  /^(?:(?:get|select|test|measure|where|sort|format|compare|resolve)-\w+|dir|findstr|gc|gci|sls)$/i;
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
  const value = digest === undefined && isObject(args) ? args : parsed(canonical);
  if (typeof value === 'string') return {};
  const name = commandField(tool, value);
  const line = name === undefined ? undefined : commandLine(value[name]);
  if (typeof line === 'string') return { line, onlyLooks: digest === undefined && isEach(line, looks) };
  const isProgram = Object.entries(value).some(
    ([name, field]) =>
      PROGRAM.includes(name) &&
      typeof field === 'string' &&
      (digest !== undefined || CODE.test(field) || toolWords(tool).runs),
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
  return texts.length === 1 && toolWords(tool).isShell ? texts[0] : undefined;
}

/** A command may be a list of words, possibly with a shell: `["bash", "-lc", "cat a.ts"]`. */
function commandLine(command: unknown): unknown {
  if (!Array.isArray(command)) return command;
  const words = command.map(String);
  return /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '')
    ? words[2]
    : words.join(' ');
}

/** Whether each command of a line is of a kind, and none changes a file. */
function isEach(line: string, isOne: (command: string) => boolean): boolean {
  if (CHANGES.test(line)) return false;
  return line.split(BETWEEN).every((part) => isOne(part.trim().replace(ALL_AHEAD, '')));
}

function looks(command: string): boolean {
  const [word = ''] = command.split(/\s/, 1);
  return word === '' || (word === 'git' ? GIT_LOOKS.test(command) : LOOKS.has(word) || CMDLETS.test(word));
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
  return isObject(value) ? value : canonical;
}

/** A list counts: its only text may be a command. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A command line that sleeps before it looks, or that only sleeps. */
const SLEEPS =
  /(?:^|[;&|(\n]|\b(?:do|then|else)\b)[ \t]*(?:sleep|Start-Sleep)[ \t]|^\s*(?:noop|no-op|sleep|wait|rest|pass)\s*$/i;
/** Command lines that ask for the state of something that changes by itself. */
const ASKS_STATE = new RegExp(
  `^(?:(?:${AHEAD}|watch) )*(?:${[
    /(?:kubectl|oc|helm) (?:-\S+ |-n \S+ )*(?:get|top)\b/,
    /(?:systemctl|service) (?:\S+ )*(?:is-active|show)\b/,
    /(?:docker|podman)(?: compose| container|-compose)? (?:-\S+ )*(?:ps|ls|logs|stats)\b/,
    /(?:gh|glab) (?:run|pr|workflow|ci|mr) (?:view|list|checks|watch|diff)\b/,
    /(?:supervisorctl|pm2|vagrant|minikube|multipass|virsh|nomad|flux|consul|brew services) (?:\S+ )?(?:list|ls|show|info|domstate|members|get)\b/,
    /(?:aws|gcloud|az|openstack|hcloud|terraform|pulumi|flyctl|fly|heroku|vercel|argocd|circleci) .*\b(?:describe|get|show|list|ls|ps|status)\b/,
    /(?:squeue|sacct|qstat|bjobs|nvidia-smi|uptime|jobs|pgrep|ps|ss|netstat|lsof|tail|journalctl|dig|nslookup|pg_isready|ping|(?:mysqladmin|redis-cli) ping|nc -[a-y]*z[a-z]*|adb (?:-\S+ )*(?:devices|get-state|shell getprop))\b/,
    /(?:curl|wget|http)\b(?!.* (?:post|put|patch|-d|--data)\b).*(?<![a-z])(?:get|check|job|run|build|task)?(?:(?:health|ready|live)z?|readiness|liveness|status|ping|progress|jobs?|runs?|builds?|deploy(?:ment)?s?|pipelines?|state)(?:_?id)?(?![a-z])/,
    /(?:curl|wget) (?:-\S+ )*(?:--head|--spider)\b/,
    /ssh (?:-\S+ |-o \S+ )*[\w.@-]+ ["']?(?:true|uptime|whoami|hostname|id|echo \w+)["']?$/,
  ]
    .map(({ source }) => source)
    .join('|')})`,
  'i',
);
/** The same, by the verb of any program that does not look at files. */
const STATES = /^(?!git )(?:[\w./:=-]+ ){1,4}(?:status|inspect|describe)(?!\S)/;
/** Asks for the head of an answer; a small letter would show it before the answer. */
const ASKS_HEAD = /^curl (?:-\S+ )*-[a-zA-Z]*I\b/;
/** Requests that fetch something and store nothing. */
const FETCHES =
  /^(?:curl|https?|gh api|wget (?:-\S+ )*-\w*O ?-)(?= )(?!.* (?:-[A-Za-z]*(?:[dFTO]|X(?! ?(?:GET|HEAD)\b)|o(?! ?\/dev\/null))\b|--(?:data|json|form|upload|request|output|remote)|post |put |patch |delete ))/;
/** Command lines that put other files or another state in place, after which the same answers mean something else. */
export const ALTERS =
  /(?:^|[;&|(\n][ \t]*)(?:sudo )?(?:git (?:-\S+ \S+ )*(?:checkout|switch|reset|bisect|stash|revert|merge|rebase|apply|am|cherry-pick|restore|pull|clean)\b|(?:sed|perl) .*-\w*i|(?:mv|cp|rm|ln|mkdir|touch|chmod|patch|unzip|tar|truncate|install)\s|(?:npm|pnpm|yarn|pip3?|uv|cargo|apt(?:-get)?|brew|gem|go) (?:\w+ )?(?:install|add|remove|uninstall|update|upgrade|get|ci)\b|(?:export|unset|source|nvm|pyenv|alembic|createdb|dropdb)\s|[\w-]+ (?:[a-z]+ )?(?:use(?:-context)?|select|switch|activate)\s)|(?<![0-9&])>{1,2}(?!&|\s*\/dev\/null)/i;
/** Commands that do nothing or echo their arguments. */
export const IDLES = /^\s*(?::|true|echo|printf)(?:\s|$)/;

/** Whether a command line waits, or asks for the state of something that changes by itself. */
export function waits(line: string): boolean {
  return line !== '' && (SLEEPS.test(line) || asksState(line) || ASKS_HEAD.test(line));
}

function asksState(line: string): boolean {
  return ASKS_STATE.test(line) || (STATES.test(line) && !looks(line));
}

/** Whether a command line asks for a state or fetches something, and does no more. */
export function onlyAsks(line: string): boolean {
  return line !== '' && isEach(line, (one) => looks(one) || asksState(one) || FETCHES.test(one));
}
