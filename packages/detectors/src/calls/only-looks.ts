import type { ToolIdentity } from './tool-identity.ts';

/** Under these names a tool takes a command line, and under those a program. */
const COMMAND = ['command', 'cmd', 'commands', 'script', 'shell', 'bash'];
const PROGRAM = ['code', 'source', 'program', 'cell'];

const LOOKS = new Set(
  (
    ': ls cat head tail less more grep egrep fgrep zgrep rg ag ack find fd pwd cd which whereis type file stat wc sort ' +
    'uniq cut tr awk sed tree du df env printenv echo printf date whoami id uname ps top diff cmp jq view test true ' +
    'read list show open search scroll_up scroll_down goto git'
  ).split(' '),
);
const GIT_LOOKS =
  /^git (?:-C \S+ |--no-pager )*(?:status|diff|log|show|branch|blame|grep|ls-files|rev-parse|remote)\b/;
/** Output into a file, files edited in place, or found ones worked on. */
const CHANGES =
  /(?<![0-9&])>{1,2}(?!&|\s*\/dev\/null)|\bsed\b.* -[a-z]*i|\s-(?:delete|exec|execdir)\b|\btee\b/;
const BETWEEN = /&&|\|\||[;|\n]/;
const AHEAD = /^(?:(?:sudo|time|env|timeout \d+\w?|[A-Z_][A-Z0-9_]*=\S*)\s+)*/;

/** The command line of a call, and whether the call only looks. */
export interface CommandFacts {
  /** Where it runs one, and its arguments are short enough to be kept. */
  readonly line?: string;
  /** `true` where it runs a command that only looks, `false` where it runs one or a program that may do anything. */
  readonly onlyLooks?: boolean;
}

export function commandFacts({ arguments: canonical, digest }: ToolIdentity): CommandFacts {
  const value = parsed(canonical);
  if (typeof value === 'string') return {};
  const line = commandLine(Object.entries(value).find(([name]) => COMMAND.includes(name))?.[1]);
  if (typeof line === 'string') return { line, onlyLooks: digest === undefined && looks(line) };
  const isProgram = Object.entries(value).some(
    ([name, field]) => PROGRAM.includes(name) && typeof field === 'string',
  );
  return isProgram ? { onlyLooks: false } : {};
}

/** Whether arguments hold a command line. */
export function hasCommand(args: object): boolean {
  return COMMAND.some((name) => Object.hasOwn(args, name));
}

/** A command may come as its words, and these may be a shell's: `["bash", "-lc", "cat a.ts"]`. */
function commandLine(command: unknown): unknown {
  if (!Array.isArray(command)) return command;
  const words = command.map(String);
  return /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '')
    ? words[2]
    : words.join(' ');
}

function looks(command: string): boolean {
  if (CHANGES.test(command)) return false;
  return command.split(BETWEEN).every((part) => {
    const simple = part.trim().replace(AHEAD, '');
    const [word = ''] = simple.split(/\s/, 1);
    return word === '' || (word === 'git' ? GIT_LOOKS.test(simple) : LOOKS.has(word));
  });
}

/** The arguments by name; those that were cut say what their text says of the names. */
function parsed(canonical: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(canonical);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : canonical;
  } catch {
    const names = [...canonical.matchAll(/"(\w+)":"/g)].map(([, name = '']) => name);
    return Object.fromEntries(names.map((name) => [name, '']));
  }
}
