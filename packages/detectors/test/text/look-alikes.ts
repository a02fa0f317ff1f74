/** Texts that repeat themselves legitimately, made for every run and always the same. */

/** Pseudo-random whole numbers below a limit. */
function numbers(seed: number): (below: number) => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const nouns =
  'river window ledger anchor copper garden signal harbor lantern meadow orbit pepper quarry ribbon saddle timber velvet walnut zephyr bridge candle dragon engine falcon glacier hammer island jacket kettle ladder magnet needle oyster pencil rocket shovel ticket umbrella violin whistle'.split(
    ' ',
  );
const verbs =
  'open close build carry lift paint count test find keep lose mark move name order pack read send sort trace turn wash weigh wrap'.split(
    ' ',
  );

/** Lines made of what `line` says of their number, a way to draw words, and one to draw numbers. */
function lines(
  count: number,
  seed: number,
  line: (n: number, word: () => string, draw: (below: number) => number) => string,
): string {
  const draw = numbers(seed);
  const word = (): string => (draw(3) === 0 ? verbs[draw(verbs.length)] : nouns[draw(nouns.length)]) ?? '';
  return Array.from({ length: count }, (_, n) => `${line(n, word, draw)}\n`).join('');
}

function letters(count: number, seed: number, alphabet: string): string {
  const draw = numbers(seed);
  return Array.from({ length: count }, () => alphabet.charAt(draw(alphabet.length))).join('');
}

const labels = ['positive', 'negative', 'neutral'];
const one = (draw: (below: number) => number, of: readonly string[]): string => of[draw(of.length)] ?? '';

type Move = readonly [disk: number, from: string, to: string];
/** The moves that solve the Towers of Hanoi. */
const hanoi = (disks: number, from: string, over: string, to: string): Move[] =>
  disks === 0
    ? []
    : [...hanoi(disks - 1, from, to, over), [disks, from, to], ...hanoi(disks - 1, over, from, to)];
const moves = (line: (move: Move, n: number) => string): string =>
  hanoi(7, 'A', 'B', 'C')
    .map((move, n) => `${line(move, n + 1)}\n`)
    .join('');

const fence = (language: string, code: string): string => `Here it is:\n\n\`\`\`${language}\n${code}\`\`\`\n`;
const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const two = (n: number): string => String(n).padStart(2, '0');

const chorus =
  'Oh carry me over the wide blue water,\nOh carry me home to the shore again,\nWhere the lanterns burn for the ferryman’s daughter,\nAnd the bells ring out in the silver rain.\n\n';

/** Parallel branches, as code has them, for each of the names. */
const branches = (names: readonly string[], branch: (name: string) => string): string =>
  names.map(branch).join('');
const columns = ['created_at', 'updated_at', 'deleted_at', 'archived_at'];
const drafts = (language: string, notes: readonly string[], code: (draft: number) => string): string =>
  notes.map((note, n) => `${note}\n\n\`\`\`${language}\n${code(n)}\`\`\`\n\n`).join('');
const notes = [
  'I begin with the branch for each of the columns, as the schema lists them.',
  'Hold on: the cursor has no method `run`, so that would raise an error at once.',
  'The names must be quoted as well, because two of them are reserved words here.',
  'One last look at the order of the arguments, then I write it to the file.',
];

export const lookAlikes: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'rulers of equals signs', text: `${'='.repeat(72)}\n`.repeat(20) },
  {
    name: 'rulers between paragraphs',
    text: lines(30, 1, (_, w) => `${'-'.repeat(80)}\n${w()} and ${w()} ${w()}`),
  },
  { name: 'a ruler as wide as a terminal', text: `Results\n${'─'.repeat(240)}\nAll passed.\n` },
  {
    name: 'progress dots of a test run',
    text: lines(16, 2, (n) => `${'.'.repeat(72)} [${String(n * 6).padStart(3)}%]`),
  },
  { name: 'progress dots without a line break', text: `Uploading ${'.'.repeat(400)} done.` },
  {
    name: 'the tablature of a bass',
    text: fence(
      '',
      `${'e B G D A'
        .split(' ')
        .map((string) => `${string}|${'--------------|'.repeat(4)}\n`)
        .join('')}E|${'0--3--5-------|'.repeat(4)}\n\n`.repeat(6),
    ),
  },
  {
    name: 'a progress bar',
    text: lines(50, 3, (n) => `[${'#'.repeat(n)}${' '.repeat(50 - n)}] ${String(n * 2)}%`),
  },
  {
    name: 'a table of contents with leaders',
    text: lines(30, 4, (n, w) => `${w()} ${w()} ${'.'.repeat(50)} ${String(n * 3 + 1)}`),
  },
  {
    name: 'a hundred branches, as asked',
    text: fence(
      'python',
      lines(100, 56, (n) => `    elif n == ${String(n)}:\n        print("The number is ${String(n)}")`),
    ),
  },
  {
    name: 'a traceback through one library',
    text: lines(
      40,
      5,
      (_, w, d) =>
        `  File "/usr/local/lib/python3.11/site-packages/django/core/${w()}/${w()}.py", line ${String(d(900))}, in ${w()}\n    return self.${w()}(${w()}, *args)`,
    ),
  },
  {
    name: 'a Java stack trace',
    text: lines(
      60,
      6,
      (_, w, d) =>
        `\tat org.springframework.web.servlet.${w()}.${w()}Handler.${w()}(${w()}Handler.java:${String(d(990))})`,
    ),
  },
  {
    name: 'an unrolled loop',
    text: fence(
      'asm',
      lines(
        90,
        57,
        (n) =>
          `    mov eax, dword ptr [rsi + ${String(4 * n)}]\n    add dword ptr [rdi + ${String(4 * n)}], eax`,
      ),
    ),
  },
  { name: 'base64', text: letters(5000, 7, base64) },
  {
    name: 'base64 with zeros',
    text: `${letters(900, 8, base64)}${'A'.repeat(200)}${letters(900, 9, base64)}`,
  },
  { name: 'a base64 key in lines', text: letters(3000, 10, base64).replace(/.{64}/g, '$&\n') },
  {
    name: 'a log with one prefix',
    text: lines(
      80,
      11,
      (n, w, d) =>
        `2024-03-01T12:${two(Math.floor(n / 60))}:${two(n % 60)}.${String(100 + d(900))}Z INFO [worker-3] request ${String(10_000 + d(90_000))} ${w()} finished in ${String(d(400))} ms`,
    ),
  },
  {
    name: 'an access log',
    text: lines(
      80,
      12,
      (_, w, d) =>
        `10.0.3.${String(d(255))} - - [01/Mar/2024:12:00:${two(d(60))} +0000] "GET /api/${w()}/${String(d(9000))} HTTP/1.1" 200 ${String(d(9000))}`,
    ),
  },
  {
    name: 'a diagram of messages',
    text: lines(
      50,
      58,
      (n) => `Client -> Server: send chunk ${String(n)}\nServer -> Client: ack chunk ${String(n)}`,
    ),
  },
  {
    name: 'training losses',
    text: lines(
      100,
      13,
      (n, _, d) =>
        `Epoch ${String(n + 1)}/100 - loss: 0.${String(d(10_000))} - accuracy: 0.${String(d(10_000))} - val_loss: 0.${String(d(10_000))}`,
    ),
  },
  {
    name: 'a JSON array of numbers',
    text: fence('json', `[${Array.from({ length: 500 }, (_, n) => (n * 7919) % 1000).join(', ')}]\n`),
  },
  { name: 'a JSON array of ones and zeros', text: `[${Array.from(letters(900, 14, '01')).join(', ')}]` },
  { name: 'a vector of zeros', text: `bias = [${'0.0, '.repeat(128)}0.0]` },
  {
    name: 'JSON records',
    text: fence(
      'json',
      `[\n${lines(50, 15, (n, w, d) => `  {\n    "id": ${String(n)},\n    "name": "${w()} ${w()}",\n    "price": ${String(d(9000) / 100)},\n    "active": true\n  },`)}]\n`,
    ),
  },
  {
    name: 'JSON records without a fence',
    text: `[${lines(60, 16, (n, w, d) => `{"id": ${String(n)}, "sku": "${w()}-${String(d(9999))}", "name": "${w()} ${w()}", "in_stock": true},`)}]`,
  },
  {
    name: 'a long list with one prefix',
    text: lines(
      60,
      17,
      (_, w) => `- GET https://api.billing.example.com/internal/v2/eu-west/invoices/${w()}/${w()}`,
    ),
  },
  {
    name: 'a long list of files',
    text: lines(100, 18, (_, w) => `- packages/detectors/src/components/${w()}/${w()}-${w()}.test.ts`),
  },
  {
    name: 'a numbered list of ideas',
    text: lines(60, 19, (n, w) => `${String(n + 1)}. A garden with a ${w()} and a ${w()} beside the ${w()}.`),
  },
  {
    name: 'a list of tasks',
    text: lines(50, 20, (n, w) => `- [ ] Task ${String(n + 1)}: ${w()} the ${w()} of the ${w()}`),
  },
  {
    name: 'the cases of a switch',
    text: fence(
      'ts',
      lines(60, 21, (n, w) => `    case ${String(n)}:\n      return '${w()}-${w()}';`),
    ),
  },
  {
    name: 'style sheet rules',
    text: fence(
      'css',
      lines(
        50,
        22,
        (_, w, d) => `.${w()}-${w()} {\n  margin: ${String(d(40))}px;\n  padding: ${String(d(40))}px;\n}`,
      ),
    ),
  },
  {
    name: 'a table of tests',
    text: fence(
      'ts',
      lines(60, 23, (_, w, d) => `  ['${w()} ${w()}', ${String(d(100))}, ${String(d(100))}, true],`),
    ),
  },
  {
    name: 'a log of words',
    text: lines(70, 59, (n) => `[INFO] worker ${String(n)} started on port ${String(9000 + n)} and is ready`),
  },
  {
    name: 'imports',
    text: fence(
      'ts',
      lines(60, 24, (_, w) => `import { ${w()}, ${w()} } from '../../components/${w()}/${w()}.js';`),
    ),
  },
  {
    name: 'assertions without a fence',
    text: lines(
      40,
      25,
      (_, w, d) =>
        `    assert.equal(calculator.${w()}(${String(d(99))}, ${String(d(99))}), ${String(d(999))});`,
    ),
  },
  {
    name: 'an SVG path',
    text: fence(
      'svg',
      `<path d="${lines(200, 26, (_, __, d) => `L ${String(d(900))} ${String(d(900))} C ${String(d(99))} ${String(d(99))}`).replaceAll('\n', ' ')}"/>\n`,
    ),
  },
  {
    name: 'CSV',
    text: lines(
      100,
      27,
      (n, w, d) =>
        `${String(n)},${w()},${w()},${String(d(9000))},2024-0${String(1 + d(9))}-${two(1 + d(28))}`,
    ),
  },
  {
    name: 'CSV of numbers',
    text: lines(
      100,
      28,
      (n, _, d) => `${String(n)},${String(d(1000))},${String(d(1000))},${String(d(1000))}`,
    ),
  },
  {
    name: 'a hex dump',
    text: lines(
      60,
      29,
      (n, _, d) =>
        `${(n * 16).toString(16).padStart(8, '0')}: ${Array.from({ length: 8 }, () => d(65_536).toString(16).padStart(4, '0')).join(' ')}`,
    ),
  },
  {
    name: 'a hex dump with zeros',
    text: lines(
      24,
      30,
      (n) => `${(n * 16).toString(16).padStart(8, '0')}: ${'0000 '.repeat(8)} ................`,
    ),
  },
  {
    name: 'a dump of erased memory',
    text: lines(
      60,
      64,
      (n) => `${(16 * n).toString(16).padStart(8, '0')}  ${'ff '.repeat(16)} |................|`,
    ),
  },
  { name: 'a white image in lines of base64', text: fence('', `${'A'.repeat(76)}\n`.repeat(30)) },
  {
    name: 'a table of 60 rows',
    text: `| id | name | owner | state |\n|---|---|---|---|\n${lines(60, 31, (n, w) => `| ${String(n + 1)} | ${w()} ${w()} | ${w()} | done |`)}`,
  },
  {
    name: 'a table of 60 rows of numbers',
    text: `| x | y | z |\n|---|---|---|\n${lines(60, 32, (n, _, d) => `| ${String(n)} | ${String(d(1000))} | ${String(d(1000))} |`)}`,
  },
  {
    name: 'a table of tests with a counter',
    text: `| n | case | owner | result |\n|---|---|---|---|\n${lines(80, 60, (n) => `| ${String(n)} | Case ${String(n)} of the suite | the team | passed |`)}`,
  },
  {
    name: 'an empty table',
    text: `| day | morning | evening |\n|---|---|---|\n${'|     |         |         |\n'.repeat(40)}`,
  },
  {
    name: 'a short table of passed tests',
    text: `| test | result |\n|---|---|\n${lines(30, 33, (n) => `| case_${String(n)} | passed |`)}`,
  },
  {
    name: 'a song with a chorus',
    text: Array.from(
      { length: 6 },
      (_, v) => lines(8, 40 + v, (_n, w) => `The ${w()} and the ${w()} ${w()} by the ${w()}`) + chorus,
    ).join(''),
  },
  {
    name: 'the identity matrix',
    text: `\\begin{pmatrix}\n${Array.from({ length: 20 }, (_, row) => `${Array.from({ length: 20 }, (_one, column) => (row === column ? 1 : 0)).join(' & ')} \\\\\n`).join('')}\\end{pmatrix}\n`,
  },
  {
    name: 'a Chinese song with a chorus',
    text: Array.from(
      { length: 4 },
      (_, verse) =>
        `${letters(60, 65 + verse, '山水风云花月夜雨春秋江湖海天地人心梦火光').replace(/.{7}/g, '$&，\n')}\n\n月亮代表我的心，轻轻的一个吻，已经打动我的心。\n深深的一段情，叫我思念到如今。\n\n`,
    ).join(''),
  },
  {
    name: 'a Chinese table',
    text: `| 编号 | 名称 | 状态 |\n|---|---|---|\n${lines(60, 70, (n) => `| ${String(n + 1)} | ${letters(4, 71 + n, '山水风云花月夜雨春秋江湖')} | 已经验证完成 |`)}`,
  },
  {
    name: 'a list in Japanese',
    text: lines(
      50,
      72,
      (n) => `- ${letters(5, 73 + n, 'あいうえおかきくけこさしすせそ')}について確認してください`,
    ),
  },
  {
    name: 'a poem whose verses start the same',
    text: lines(40, 34, (_, w) => `I remember the ${w()} of the ${w()},\nI remember ${w()} and ${w()};`),
  },
  {
    name: 'statements with only a counter',
    text: lines(
      35,
      47,
      (n) => `INSERT INTO users VALUES (${String(n)}, 'user${String(n)}', 'user${String(n)}@example.com');`,
    ),
  },
  {
    name: 'numbered functions outside of a fence',
    text: lines(60, 51, (n) => `function printNumber${String(n)}() {\n  console.log(${String(n)});\n}\n`),
  },
  {
    name: 'numbered classes of a style sheet outside of a fence',
    text: lines(60, 52, (n) => `.mt-${String(n)} { margin-top: ${String(n * 4)}px; }`),
  },
  {
    name: 'a configuration without a fence',
    text: lines(50, 61, (n) => `[[shard]]\nname = "shard-${String(n)}"\nport = 5432\nreplicas = 2\n`),
  },
  {
    name: 'legal text',
    text: lines(
      40,
      35,
      (n, w) =>
        `${String(n + 1)}. The ${w()} shall, to the extent permitted by law, ${w()} the ${w()} of the other party, unless the ${w()} has been agreed in writing.`,
    ),
  },
  {
    name: 'license headers',
    text: lines(
      7,
      36,
      (_, w) =>
        `### ${w()}/${w()}.ts\n\n// Copyright 2024 The Authors. Licensed under the Apache License, Version 2.0.\n// You may not use this file except in compliance with the License.\n\nexport const ${w()} = '${w()}';\n`,
    ),
  },
  {
    name: 'eight requested repetitions',
    text: 'I will not talk in class while the teacher explains the lesson.\n'.repeat(8),
  },
  {
    name: 'eight repetitions with numbers',
    text: lines(
      8,
      37,
      (n) => `${String(n + 1)}. I will not talk in class while the teacher explains the lesson.`,
    ),
  },
  {
    name: '150 labels with the language in lines',
    text: lines(
      150,
      69,
      (_, _word, draw) =>
        `{'mood': '${one(draw, ['good', 'bad', 'mixed'])}', 'language': '${one(draw, ['en', 'de'])}'}`,
    ),
  },
  { name: 'the same short line nine times', text: 'Ready.\n'.repeat(9) },
  {
    name: 'results of a test runner',
    text: lines(60, 38, (n, w) => `ok ${String(n + 1)} - ${w()} ${w()} ${w()}`),
  },
  { name: 'a short run of unnamed tests', text: lines(30, 39, (n) => `ok ${String(n + 1)} - passes`) },
  {
    name: 'the multiplication table',
    text: lines(
      100,
      40,
      (n) =>
        `${String(Math.floor(n / 10) + 1)} x ${String((n % 10) + 1)} = ${String((Math.floor(n / 10) + 1) * ((n % 10) + 1))}`,
    ),
  },
  {
    name: 'the Towers of Hanoi in sentences',
    text: moves(([disk, from, to]) => `Move disk ${String(disk)} from peg ${from} to peg ${to}.`),
  },
  { name: 'counting to 300', text: Array.from({ length: 300 }, (_, n) => String(n + 1)).join(', ') },
  {
    name: 'ports in a list',
    text: lines(
      50,
      62,
      (n) => `  - name: port-${String(n)}\n    containerPort: ${String(8000 + n)}\n    protocol: TCP`,
    ),
  },
  {
    name: 'primes',
    text: Array.from({ length: 3000 }, (_, n) => n + 2)
      .filter(
        (n) =>
          !Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, d) => d + 2).some((d) => n % d === 0),
      )
      .join(', '),
  },
  {
    name: 'the Towers of Hanoi in a paragraph',
    text: moves(
      ([disk, from, to], n) => `Move ${String(n)}: disk ${String(disk)}, ${from} to ${to}.`,
    ).replaceAll('\n', ' '),
  },
  { name: 'squares of emoji', text: `${'🟩'.repeat(24)}${'⬜'.repeat(8)}\n`.repeat(2) },
  { name: 'three cheers', text: 'Ha'.repeat(12) + ' hip hip hurray! '.repeat(3) },
  {
    name: 'deep indentation',
    text: fence(
      'json',
      Array.from(
        { length: 40 },
        (_, n) => `${' '.repeat(n * 2)}{ "${nouns[n % nouns.length] ?? ''}":\n`,
      ).join(''),
    ),
  },
  {
    name: 'closing brackets',
    text: fence('json', Array.from({ length: 60 }, (_, n) => `${' '.repeat(120 - n * 2)}}\n`).join('')),
  },
  {
    name: 'installed packages',
    text: lines(
      80,
      41,
      (_, w, d) =>
        `Requirement already satisfied: ${w()}-${w()}>=${String(d(9))}.${String(d(20))} in /usr/local/lib/python3.11/site-packages (from ${w()}) (${String(d(9))}.${String(d(40))}.${String(d(9))})`,
    ),
  },
  {
    name: 'records with only a counter',
    text: lines(45, 44, (n) => `{"id": ${String(n)}, "name": "user${String(n)}", "active": true},`),
  },
  {
    name: 'the Towers of Hanoi as a list',
    text: moves(
      ([disk, from, to], n) => `${String(n)}. Move disk ${String(disk)} from rod ${from} to rod ${to}.`,
    ),
  },
  { name: 'a FASTA sequence', text: letters(3000, 42, 'ACGT').replace(/.{60}/g, '$&\n') },
  {
    name: 'style sheet rules in one line',
    text: lines(
      60,
      63,
      (n) => `.p-${String(n)}{padding:${String(4 * n)}px}.px-${String(n)}{padding-left:${String(4 * n)}px}`,
    ).replaceAll('\n', ''),
  },
  {
    name: 'a dozen sentences with the same pattern',
    text: lines(14, 48, (_, w) => `She put the ${w()} into the old box.`),
  },
  {
    name: 'facts in sentences with the same pattern',
    text: lines(40, 49, (_, w) => `The ${w()} of the ${w()} is made of ${w()}.`),
  },
  { name: 'created files', text: lines(80, 46, (n) => `Created file frame_${String(n)}.png`) },
  {
    name: 'a log of sentences',
    text: lines(60, 50, (_, w) => `Loaded the module src/${w()}/${w()}.ts now.`),
  },
  {
    name: 'four drafts of a script',
    text: drafts(
      'python',
      notes,
      (draft) =>
        `import sys\n\nfor line in sys.stdin:\n${branches(columns, (name) => `    elif 'register_function("report_${name}", 2, _report_${name})' in line:\n        ${draft === 0 ? 'rows.append' : 'sys.stdout.write'}('    register_function("report_${name}", 2, functools.partial(_report_${name}, zone=settings.get("TIME_ZONE")))\\n')\n`)}    else:\n        sys.stdout.write(line)\n`,
    ),
  },
  {
    name: 'three drafts of a query',
    text: drafts('sql', notes.slice(0, 3), (draft) =>
      branches(
        ['north', 'south', 'east', 'west', 'harbor'],
        (region) =>
          `SELECT '${region}' AS region, count(*) AS orders, sum(total) AS revenue\nFROM orders_${region} JOIN customers_${region} USING (customer_id)\nWHERE status = 'paid' AND ordered_on >= date '2025-01-01'${draft > 0 ? ' AND NOT refunded' : ''}\nUNION ALL\n`,
      ),
    ),
  },
  {
    name: 'four drafts of a reducer',
    text: drafts(
      'ts',
      notes,
      (draft) =>
        `switch (action.type) {\n${branches(['opened', 'closed', 'renamed', 'moved'], (name) => `  case 'document/${name}':\n    return { ...state, documents: state.documents.map((one) => (one.id === action.id ? ${draft === 1 ? 'patch' : 'apply'}${name}(one, action.payload) : one)) };\n`)}}\n`,
    ),
  },
  {
    name: 'a hundred functions, as asked',
    text: fence(
      'python',
      lines(100, 51, (n) => `def say_${String(n)}():\n    print("function ${String(n)}")\n`),
    ),
  },
  {
    name: 'a hundred constants, as asked',
    text: fence(
      'ts',
      lines(100, 52, (n) => `export const COLOR_${String(n)} = 'var(--color-${String(n)})';`),
    ),
  },
  {
    name: 'ninety rows for a database, as asked',
    text: fence(
      'sql',
      lines(
        90,
        54,
        (n) =>
          `INSERT INTO seats (id, line, label) VALUES (${String(n)}, ${String(n % 9)}, 'Seat ${String(n)}');`,
      ),
    ),
  },
  {
    name: 'ninety choices of a form, as asked',
    text: fence(
      'html',
      lines(90, 55, (n) => `<option value="${String(n)}">Room ${String(n)}</option>`),
    ),
  },
  {
    name: 'eighty empty tests, as asked',
    text: fence(
      'js',
      lines(
        80,
        53,
        (n) => `test('case${String(n)}', () => {\n  expect(run(case${String(n)})).toBe(true);\n});\n`,
      ),
    ),
  },
  {
    name: '200 labels in one line, as asked',
    text: `[${lines(200, 61, (_, _word, draw) => `"${one(draw, labels)}",`).replaceAll('\n', '')}]`,
  },
  {
    name: '200 labels with spaces, of which most are the same',
    text: `[${lines(200, 62, (_, _word, draw) => `"${draw(5) === 0 ? 'defect' : 'ok'}",`).replaceAll('\n', ' ')}]`,
  },
  {
    name: '160 labels in lines',
    text: `[\n${lines(160, 63, (_, _word, draw) => `  "${one(draw, labels)}",`)}]`,
  },
  {
    name: '250 numbered labels',
    text: lines(250, 65, (n, _word, draw) => `${String(n)}. ${one(draw, ['billing', 'shipping', 'other'])}`),
  },
  {
    name: '250 labels in a fence',
    text: fence(
      'json',
      lines(250, 66, (_, _word, draw) => `  "${one(draw, ['spam', 'legitimate'])}",`),
    ),
  },
  {
    name: '250 labels in Chinese',
    text: lines(250, 67, (_, _word, draw) => `"${one(draw, ['正面', '负面', '中性'])}",`).replaceAll(
      '\n',
      '',
    ),
  },
  { name: 'a hundred file names', text: lines(100, 45, (n) => `img_${String(n).padStart(4, '0')}.png`) },
  {
    name: 'prose with a refrain',
    text: lines(
      12,
      43,
      (_, w) =>
        `So it goes. The ${w()} was ${w()} and the ${w()} of ${w()} had to ${w()} before the ${w()} came.`,
    ),
  },
  {
    name: '80 devices in one line',
    text: lines(
      80,
      68,
      (_, _word, draw) =>
        `{"id":"dev-${String(draw(900))}","status":"${one(draw, ['on', 'off'])}","firmware":"2.4.1","region":"${one(draw, ['eu-west', 'us-east'])}"},`,
    ).replaceAll('\n', ''),
  },
  {
    name: 'the algorithm of Euclid in sentences',
    text: lines(
      30,
      71,
      (_, _word, draw) =>
        `Divide ${String(draw(9e5))} by ${String(draw(9e4))}. The quotient is 1 and the remainder is ${String(draw(9e4))}.`,
    ),
  },
  {
    name: 'thirty shops in Chinese',
    text: lines(
      30,
      72,
      (n, _word, draw) =>
        `门店${String(n + 1)}：${one(draw, ['北京', '上海', '广州', '成都'])}${one(draw, ['人民', '中山', '解放'])}路店，营业时间：09:00–2${String(draw(3))}:00，电话：暂无，停车：${one(draw, ['有', '无'])}，外卖：支持。`,
    ),
  },
  {
    name: 'the log of a ship',
    text: lines(
      30,
      73,
      (n, _word, draw) =>
        `Day ${String(n + 1)}. Wind ${one(draw, ['west', 'north', 'south'])} ${String(draw(8))}. Sea ${one(draw, ['rough', 'smooth'])}. Position ${String(draw(60))}°${String(draw(60))}' N, ${String(draw(60))}°${String(draw(60))}' W. Mended the foresail.`,
    ),
  },
  {
    name: 'twenty services with the same ports and limits',
    text: lines(
      20,
      74,
      (_, w) =>
        `kind: Deployment\nmetadata:\n  name: ${w()}\nspec:\n  replicas: 3\n  containers:\n    - image: registry.example/shop/base/server/${w()}:1.0\n      ports: [{ containerPort: 8080 }, { containerPort: 9090 }]\n      livenessProbe: { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }\n      readinessProbe: { periodSeconds: 15, timeoutSeconds: 4 }\n      resources: { requests: { cpu: 250m, memory: 512Mi }, limits: { cpu: 500m, memory: 1024Mi } }\n---`,
    ),
  },
];
