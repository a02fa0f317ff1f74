/** Texts of models that have fallen into a rut, after an answer that began well. */

const times = (count: number, piece: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => piece(n)).join('');

const begun =
  'A good question. The answer depends on where the data comes from, how often it changes and who reads it; let me go through that in order.\n\n';

const animals = ['cat', 'dog', 'horse', 'cow', 'sheep', 'goat', 'pig', 'duck', 'hen', 'goose', 'mule', 'ox'];

/** Another word for each number below 900. */
const thing = (n: number): string =>
  `${'bdfgklmnprstvz'.charAt(n % 14)}${'aeiou'.charAt(n % 5)}${'lmnr'.charAt(Math.floor(n / 5) % 4)}${'dgkt'.charAt(Math.floor(n / 20) % 4)}o`;

export const degenerateTexts: readonly {
  readonly name: string;
  readonly text: string;
  readonly rule?: string;
}[] = [
  { name: 'a sentence', text: times(60, () => 'The sea is a place of beauty and of wonder. '), rule: 'text' },
  {
    name: 'a numbered list',
    text: times(90, (n) => `${String(n + 1)}. A garden that is not a garden.\n`),
    rule: 'counter',
  },
  { name: 'a list of equal items', text: times(80, () => '- Use a good password\n'), rule: 'lines' },
  {
    name: 'steps with a counter',
    text: times(70, (n) => `Step ${String(n + 12)}: Check the result of the last step. `),
    rule: 'counter',
  },
  {
    name: 'a counter with two numbers',
    text: times(70, (n) => `Attempt ${String(n + 1)} of ${String(n + 10)}: retry the request.\n`),
    rule: 'counter',
  },
  {
    name: 'one year per decade',
    text: times(60, (n) => `In the ${String(1900 + 10 * n)}s, the city was destroyed and built anew. `),
  },
  {
    name: 'a line inside a fence',
    text: `\`\`\`python\n${times(90, () => '    print("Hello, world, hello")\n')}`,
  },
  {
    name: 'numbered variables inside a fence',
    text: `\`\`\`python\n${times(400, (n) => `value_${String(n)} = get_value(${String(n)})\n`)}`,
    rule: 'counter',
  },
  {
    name: 'functions inside a fence',
    text: `\`\`\`js\n${times(260, (n) => `function test${String(n)}() {\n  return true;\n}\n\n`)}`,
  },
  {
    name: 'tests of several lines inside a fence',
    text: `\`\`\`python\n${times(22, (n) => `    def test_of_a_stack_with_values(self):\n        self.assertEqual(len(Stack()), ${String(n)})\n\n`)}`,
    rule: 'counter',
  },
  {
    name: 'one function inside a fence',
    text: `\`\`\`python\n${times(60, () => 'def say_hello():\n    print("hello to all of you")\n\n')}`,
  },
  {
    name: 'a sentence after a hundred functions',
    text: `\`\`\`python\n${times(100, (n) => `def say_${String(n)}():\n    print("function ${String(n)}")\n\n`)}\`\`\`\n\n${times(40, () => 'Now each of the functions can be called by its name. ')}`,
  },
  {
    name: 'the same code with the same words, again and again',
    text: times(
      14,
      () =>
        'Here is the script with the change:\n\n```python\nimport sys\nfor line in sys.stdin:\n    if line.startswith("#"):\n        continue\n    sys.stdout.write(line.upper())\n```\n\nThat should do it, I think.\n\n',
    ),
  },
  {
    name: 'a list of one date',
    text: times(44, () => '* 2023-01-22 12:32:53.232:\n'),
    rule: 'run',
  },
  {
    name: 'a list of ten titles with their numbers that starts again',
    text: times(
      40,
      () =>
        '1. Emma\n2. Ulysses\n3. Dracula\n4. 1984\n5. Beloved\n6. Persuasion\n7. Lolita\n8. It\n9. Catch 22\n10. Austerlitz\n',
    ),
    rule: 'lines',
  },
  { name: 'a dot in each line', text: times(900, () => '\n.'), rule: 'run' },
  { name: 'a list of zeros', text: times(600, () => '0, '), rule: 'run' },
  {
    name: 'rows of a table',
    text: `| n | name | value |\n|---|---|---|\n${times(260, (n) => `| ${String(n)} | The name of it | The value |\n`)}`,
    rule: 'counter',
  },
  {
    name: 'two alternating sentences',
    text: times(40, (n) =>
      n % 2 === 0 ? 'I should check the file again. ' : 'But first I should think about it. ',
    ),
  },
  {
    name: 'two sentences in any order',
    text: times(60, (n) =>
      (n * n * 7 + n) % 5 < 2 ? 'The sky is blue today. ' : 'The grass is green again. ',
    ),
  },
  {
    name: 'a growing sentence',
    text: times(30, (n) => `I like ${times(n + 1, () => 'apples and pears and ')}plums. `),
  },
  { name: 'a word', text: times(400, () => 'the '), rule: 'run' },
  { name: 'a syllable', text: times(400, () => 'na'), rule: 'run' },
  { name: 'a markup token', text: times(600, () => '</invoke>') },
  { name: 'line breaks', text: '\n'.repeat(2000), rule: 'run' },
  { name: 'spaces', text: ' '.repeat(2000), rule: 'run' },
  { name: 'zeros and dots', text: '0.'.repeat(1500), rule: 'run' },
  { name: 'digits of a number', text: `0.${'142857'.repeat(500)}` },
  { name: 'zeros', text: '0'.repeat(3000), rule: 'run' },
  { name: 'exclamation marks', text: '!'.repeat(800), rule: 'run' },
  { name: 'one letter', text: 'G'.repeat(800), rule: 'run' },
  { name: 'endless dots', text: '.'.repeat(3000), rule: 'run' },
  { name: 'an endless table frame', text: `| a | b |\n|${'---|'.repeat(500)}`, rule: 'run' },
  { name: 'endless lines of dots', text: `${'.'.repeat(60)}\n`.repeat(70), rule: 'run' },
  { name: 'emoji', text: '😂'.repeat(400), rule: 'run' },
  { name: 'a family of emoji', text: '👩‍👩‍👧 '.repeat(200) },
  {
    name: 'a paragraph with a changing word',
    text: times(
      60,
      (n) =>
        `The ${animals[n % 12] ?? ''} is an animal that lives on the farm, and the farmer takes good care of it every day of the year because it is useful to him.\n\n`,
    ),
  },
  { name: 'a dialogue', text: times(60, () => 'User: Can you help me?\nAssistant: Yes, I can help you.\n') },
  { name: 'quotes', text: times(80, () => '> To be is to be perceived.\n'), rule: 'lines' },
  {
    name: 'headings with a number',
    text: times(60, (n) => `## Chapter ${String(n + 1)}\n\nThe story goes on as before.\n\n`),
    rule: 'counter',
  },
  {
    name: 'a long paragraph',
    text: times(9, () =>
      times(
        12,
        (n) =>
          `${animals[n] ?? ''} number ${'abcdefghijkl'.charAt(n)} was brought to the market in the ${'lkjihgfedcba'.charAt(n)} week. `,
      ),
    ),
  },
  {
    name: 'a passage of several sentences, six times',
    text: times(6, () =>
      times(
        6,
        (n) =>
          `The ${animals[n] ?? ''} stood ${'abcdef'.charAt(n)} while at the gate and looked ${'fedcba'.charAt(n)}. `,
      ),
    ),
    rule: 'block',
  },
  {
    name: 'doubts',
    text: times(40, () => 'Wait, no. Actually, let me reconsider this from the start. Hmm, '),
  },
  { name: 'Chinese', text: times(80, () => '我们需要再次检查这个问题。') },
  {
    name: 'objects with a counter',
    text: times(240, (n) => `{"id": ${String(n)}, "name": "item", "value": "a value"},\n`),
  },
  {
    name: 'calls written into the answer, with a counter',
    text: times(
      30,
      (n) =>
        `<tool_call id="call_${String(n)}">\n{"name": "read_file", "arguments": {"path": "src/app.ts"}}\n</tool_call>\n`,
    ),
    rule: 'counter',
  },
  {
    name: 'Chinese sentences in any order',
    text: times(
      90,
      (n) =>
        `${['其实，', '不对，', '等等，', '嗯，'][(n * n + 3 * n) % 4] ?? ''}${['我应该再看一遍条件。', '让我再检查一下条件。', '我需要重新验证条件。'][(n * n * 5 + n) % 3] ?? ''}${['当它为偶数时，和是零。', '如果它是偶数，那么和为零。'][(n * 7 + (n >> 2)) % 2] ?? ''}`,
    ),
  },
  {
    name: 'a Japanese sentence with two changing words',
    text: times(
      50,
      (n) =>
        `次に、この問題を${['もう一度', '再度', '改めて'][(n * n + n) % 3] ?? ''}${['検討', '確認'][(n * 3 + (n >> 1)) % 2] ?? ''}してみましょう。`,
    ),
  },
  { name: 'a Chinese character', text: '哈'.repeat(300), rule: 'run' },
  {
    name: 'lines of a log',
    text: times(200, (n) => `Worker ${String(n)} is ready to accept the next connection\n`),
    rule: 'counter',
  },
  { name: 'an ever deeper path', text: `/src${'/components/shared'.repeat(120)}` },
  {
    name: 'facts about any number',
    text: times(
      120,
      (n) => `The number ${String((n * 7919 + 13) % 10_007)} is a prime number and it is odd.\n`,
    ),
    rule: 'counter',
  },
  {
    name: 'a sentence cut off by line breaks',
    text: times(
      80,
      (n) => `I will try${n % 3 === 0 ? '\n' : ' '}once more to open the file${n % 4 === 0 ? '\n\n' : '. '}`,
    ),
  },
  {
    name: 'short sentences with a new word each time',
    text: times(40, (n) => `I am not sure if it is a ${thing(n)}. `),
    rule: 'pattern',
  },
  {
    name: 'lines of questions with a new word each time',
    text: times(40, (n) => `Do you have a ${thing(n)}?\n`),
    rule: 'pattern',
  },
  {
    name: 'two alternating sentences, each with a new word',
    text: times(60, (n) =>
      n % 2 === 0 ? `Is it the ${thing(n)} that we need? ` : `No, it is not the ${thing(n)}. `,
    ),
    rule: 'pattern',
  },
  { name: 'letters of base64', text: 'QUFBQUFB'.repeat(300), rule: 'run' },
  { name: 'a date in lines', text: times(100, () => '2021-01-01\n'), rule: 'run' },
  {
    name: 'the same seven moves of a puzzle',
    text: times(60, () =>
      ['1 A C', '2 A B', '1 C B', '3 A C', '1 B A', '2 B C', '1 A C']
        .map((move) => move.split(' '))
        .map(([disk, from, to]) => `Move disk ${disk ?? ''} from peg ${from ?? ''} to peg ${to ?? ''}.\n`)
        .join(''),
    ),
  },
  { name: 'a list of one label', text: `[${times(80, () => '"positive", ')}`, rule: 'text' },
  {
    name: 'labels in the same order again and again',
    text: `[${times(60, () => '"yes", "no", "no", "yes", "yes", "yes", "no", ')}`,
    rule: 'text',
  },
  {
    name: 'one object again and again',
    text: `[${times(30, () => '{"label":"positive","lang":"en"},')}`,
    rule: 'text',
  },
  {
    name: 'one label after many in any order',
    text: `[${times(300, (n) => (n < 100 ? `"${String((n * n * 7) % 11 < 5)}",` : '"true",'))}`,
  },
  { name: 'a long list of the same word', text: times(300, () => 'caching, ') },
].map((text) => ({ ...text, text: begun + text.text }));
