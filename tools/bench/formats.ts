import type { FormatName } from '@loopwatch/contract';
import { Translator } from '@loopwatch/formats';
import { answersOnly, type Call, type Producer, producers } from '../../packages/formats/test/producers.ts';
import { type Bench, type Figures, median, progress, rounded, time } from './measure.ts';

const ROUNDS = 5;
const SHORT = 500;
const LONG = 16_000;
/** Each record contains the whole conversation, so that a few calls make many megabytes. */
const cumulative: ReadonlySet<FormatName> = new Set(['messages', 'litellm']);
const CUMULATIVE_SHORT = 40;
const CUMULATIVE_LONG = 640;

/** Translating records to events: a long stream compared with a short one, byte for byte, on generated calls. */
export const formats: Bench = () =>
  Object.entries({ ...producers, ...answersOnly })
    // Other benches measure Loopwatch's own events.
    .filter(([name]) => name !== 'canonical')
    .map(([name, producer]) => longAgainstShort(name, producer));

function longAgainstShort(name: string, producer: Producer): Figures {
  progress(`formats: ${name}`);
  const [format] = producer;
  const isCumulative = cumulative.has(format);
  const short = linesOf(producer, isCumulative ? CUMULATIVE_SHORT : SHORT);
  const long = linesOf(producer, isCumulative ? CUMULATIVE_LONG : LONG);
  const repeats = Math.ceil(long.bytes / short.bytes);
  const shortSpent: number[] = [];
  const longSpent: number[] = [];
  const parseSpent: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    shortSpent.push(
      time(() => {
        for (let repeat = 0; repeat < repeats; repeat += 1) translate(format, short.lines);
      }) / repeats,
    );
    longSpent.push(time(() => translate(format, long.lines)));
    parseSpent.push(
      time(() => {
        for (const line of long.lines) JSON.parse(line);
      }),
    );
  }
  const perByte = median(longSpent) / long.bytes;
  return {
    bench: `formats, ${name}: ${String(isCumulative ? CUMULATIVE_LONG : LONG)} calls against ${String(isCumulative ? CUMULATIVE_SHORT : SHORT)}`,
    megabytesPerSecond: rounded(1 / (perByte * 1000)),
    ofJsonParse: rounded(median(parseSpent) / median(longSpent)),
    ratio: rounded(perByte / (median(shortSpent) / short.bytes)),
    required: '<= 1.5',
  };
}

function linesOf([, recordsOf]: Producer, count: number) {
  const calls = Array.from({ length: count }, (_, i): Call => {
    const id = String(i);
    return { id, args: { path: `src/file-${id}.ts` }, result: `contents of file ${id} `.repeat(20) };
  });
  const lines = recordsOf(calls).map((record) => JSON.stringify(record));
  return { lines, bytes: lines.reduce((sum, line) => sum + line.length, 0) };
}

function translate(format: FormatName, lines: readonly string[]): void {
  const translator = new Translator({ format, session: 's' });
  let events = 0;
  for (const line of lines) events += translator.read(line).events.length;
  events += translator.end().length;
  if (events === 0) throw new Error(`${format} gave no events`);
}
