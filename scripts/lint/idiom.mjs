// Checks what no linter has a rule for: one spelling of constants, American spelling, and the words of the project's glossary.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** American spelling, everywhere; a method of others is theirs to spell. */
const spelling = [
  [/colour|behaviour|favourite|neighbour/i, '-or'],
  [/\blicen(?:ce|ces|ced|cing)\b/i, 'license'],
  [/\banalys(?:e|ed|ing|er)\b/i, 'analyze'],
  [
    /(?<!\.)\b(?:recogn|normal|serial|initial|summar|organ|synchron|optim|minim|maxim|visual)is(?:e|es|ed|ing|ation)\b/i,
    '-ize',
  ],
];
/** The words of the project, in pages, sources and comments; a test may quote what agents and users write. */
const words = [
  [/\b(?:nobody|somebody|whoever)\b/i, 'name who: user, client, caller'],
  [/\b(?:anew|afresh|once more)\b(?!\.json)/i, 'again'],
  [/\btaken back\b/i, 'revoked'],
  [/\bas usual\b/i, 'by default'],
];
/** Bounds and other numbers of a module are written MAX_BYTES, so that a reader can tell them from variables. */
const constant =
  /^(?:export )?const (?![A-Z][A-Z0-9_]*\b)\w+(?:: number)? = -?[\d_.]+(?: [*+/-]{1,2} [\d_.]+)*;$/;

/** In readers of foreign JSON, `String` of a field throws for `{"toString": 1}`; `nameOf` never does. */
const foreign = /(?<![\w.])String\((?:\w+(?:\(\w+\))?\[['"]|(?:type|role|kind|value)\))/;

/** Texts of others, and what quotes the words as examples. */
const skipped =
  /^(?:NOTICE|LICENSE|package-lock\.json|CODE_OF_CONDUCT\.md|scripts\/lint\/idiom\.mjs|docs\/reference\/|golden\/|samples\/|.*\.jsonl(?:\.gz)?$)/;
const prose = /\.md$|^packages\/[^/]+\/src\//;
const comment = /^\s*(?:\/\/|\/?\*)/;
const texts = /\.(?:[cm]?[jt]sx?|md|css|html|ya?ml|json|sh)$/;

const faults = [];
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
for (const file of files.filter((name) => texts.test(name) && !skipped.test(name))) {
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    const at = `${file}:${String(index + 1)}`;
    const checked =
      (prose.test(file) && !line.startsWith('{')) || comment.test(line) ? [...spelling, ...words] : spelling;
    for (const [word, advice] of checked) {
      const found = word.exec(line);
      if (found !== null) faults.push(`${at}: "${found[0]}": ${advice}`);
    }
    if (file.startsWith('packages/formats/src/') && !file.endsWith('/json.ts') && foreign.test(line))
      faults.push(`${at}: String() of foreign JSON may throw: nameOf() never does`);
    if (/\.tsx?$/.test(file) && constant.test(line))
      faults.push(`${at}: a constant number is named LIKE_THIS: ${line.slice(0, 60)}`);
  }
}
for (const fault of faults) console.log(fault);
console.log(`${String(files.length)} files, ${String(faults.length)} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
