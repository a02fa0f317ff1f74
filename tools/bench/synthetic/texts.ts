import { prose } from '../prose.ts';

/** What a result looks like. */
export type TextKind = 'code' | 'json' | 'line' | 'log' | 'numbered' | 'page' | 'paths' | 'prose';
/** What a call's arguments look like. */
export type ArgumentKind = 'command' | 'edit' | 'item' | 'path' | 'pattern' | 'query';

const POOL_LINES = 12_000;
const POOL_UNITS = 1_500_000;
const HEX = '0123456789abcdef';

/** Texts like those of agents and their tools, of any size, from one source of random numbers. */
export class Texts {
  readonly #random: () => number;
  readonly #prose: string;
  readonly #words: readonly string[];
  readonly #pools = new Map<TextKind, readonly string[]>();

  constructor(random: () => number) {
    this.#random = random;
    this.#prose = prose(POOL_UNITS, this.int(2 ** 30));
    this.#words =
      this.#prose
        .slice(0, 30_000)
        .toLowerCase()
        .match(/[a-z]+/g) ?? [];
  }

  int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }

  hex(units: number): string {
    return Array.from({ length: units }, () => HEX[this.int(16)]).join('');
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.pick(this.#words)).join(' ');
  }

  name(): string {
    const [first = '', ...rest] = Array.from({ length: 1 + this.int(3) }, () => this.pick(this.#words));
    return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  }

  path(): string {
    return `/home/dev/${this.pick(this.#words)}/src/${this.pick(this.#words)}/${this.name()}.${this.pick(['ts', 'go', 'py'])}`;
  }

  /** A text of exactly this many units. */
  text(kind: TextKind, units: number): string {
    if (kind === 'prose') {
      const from = this.int(Math.max(1, this.#prose.length - units));
      return this.#prose.slice(from, from + units);
    }
    if (kind === 'line') return `Done: ${this.path()} ${this.words(3)}.`.slice(0, Math.max(4, units));
    const pool = this.#poolOf(kind === 'numbered' ? 'code' : kind);
    const lines: string[] = [];
    let number = 1;
    for (let length = 0, at = this.int(pool.length); length < units; at += 1) {
      const line = pool[at % pool.length] ?? '';
      const whole = kind === 'numbered' ? `${String(number).padStart(6)}→${line}\n` : `${line}\n`;
      lines.push(whole);
      length += whole.length;
      number += 1;
    }
    return lines.join('').slice(0, units);
  }

  /** Arguments whose JSON has about this many units. */
  args(kind: ArgumentKind, units: number): Record<string, unknown> {
    switch (kind) {
      case 'command': {
        const command = `cd ${this.path()} && ${this.pick(['npm test -- ', 'go test ./... -run ', 'grep -rn '])}${this.name()}`;
        const script = units - command.length - 60;
        return script > 0
          ? { command: `${command} <<'EOF'\n${this.text('code', script)}`, description: this.words(5) }
          : { command: command.slice(0, Math.max(4, units - 14)) };
      }
      case 'edit': {
        const half = Math.max(4, (units - 110) >> 1);
        const [before, after] = [this.text('code', half), this.text('code', half)];
        return { file_path: this.path(), old_string: before, new_string: after };
      }
      case 'item':
        return { index: this.int(400), ...(units > 40 && { element: this.words(Math.ceil(units / 12)) }) };
      case 'path':
        return { file_path: this.path(), ...(units > 90 && { offset: this.int(2000), limit: 200 }) };
      case 'pattern':
        return { pattern: `${this.name()}|${this.name()}`, path: this.path(), output_mode: 'content' };
      case 'query':
        return { query: this.text('prose', Math.max(3, units - 12)) };
    }
  }

  /** Lines of one kind; texts are consecutive lines from it, as of a file. */
  #poolOf(kind: TextKind): readonly string[] {
    let pool = this.#pools.get(kind);
    if (pool === undefined) {
      pool = Array.from({ length: POOL_LINES }, () => this.#line(kind));
      this.#pools.set(kind, pool);
    }
    return pool;
  }

  #line(kind: TextKind): string {
    const [a, b, c] = [this.name(), this.name(), this.name()];
    switch (kind) {
      case 'json':
        return `{"id":${String(this.int(1e6))},"name":"${this.words(3)}","url":"https://${a}.example/${b}/${this.hex(8)}","score":${this.#random().toFixed(4)}},`;
      case 'page':
        return this.pick([
          `[${String(this.int(400))}]<a>${this.words(2)} />`,
          `\t[${String(this.int(400))}] link '${this.words(4)}'`,
          `\t\tStaticText '${this.words(9)}'`,
          `[${String(this.int(400))}]<button>${this.words(1)} ${String(this.int(90))} reviews />`,
          this.words(14),
        ]);
      case 'paths':
        return `${this.path()}:${String(this.int(900))}:\t${a}(${b}, ${c})`;
      case 'log':
        return this.pick([
          `2026-01-${String(10 + this.int(20))}T08:${String(10 + this.int(50))}:${String(10 + this.int(50))}.${String(100 + this.int(900))}Z INFO  [${a}] ${this.words(6)} id=${this.hex(8)}-${this.hex(4)} took ${String(this.int(900))}ms`,
          `ok      ${a}/${b}  ${(this.#random() * 9).toFixed(3)}s`,
          `    at ${a}.${b} (${this.path()}:${String(this.int(900))}:${String(this.int(80))})`,
          `--- FAIL: Test${b} (0.0${String(this.int(9))}s)`,
          `Error: ${this.words(7)}`,
          `-rw-r--r-- 1 dev dev ${String(this.int(1e6))} Jan ${String(1 + this.int(28))} 08:12 ${a}.go`,
          `${this.hex(7)} ${this.words(6)}`,
        ]);
      default:
        return this.pick([
          `  const ${a} = await ${b}(${c}, ${String(this.int(100))});`,
          `  if (${a} === undefined) return ${b};`,
          `export function ${a}(${b}: string): ${c} {`,
          `    ${a}.${b}(\`${this.words(2)} \${${c}}\`);`,
          `// ${this.words(10)}`,
          '}',
          '',
          `  ${a}: ${String(this.int(1000))},`,
          `    for (const ${a} of ${b}.${c}) ${a}.push(${b});`,
        ]);
    }
  }
}
