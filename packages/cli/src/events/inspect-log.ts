import { jsonFrom, messageOf } from '@loopwatch/contract';
import { zstdDecoder } from '@loopwatch/platform';
import {
  type FlateError,
  FlateErrorCode,
  Unzip,
  type UnzipDecoder,
  type UnzipFile,
  UnzipInflate,
} from 'fflate';
import { UsageError } from '../errors.ts';

/** Says what was evaluated, and with which model; it precedes the samples. */
const START = '_journal/start.json';
const SAMPLE = /^samples\/[^/]+\.json$/;

const LINE_BREAK = 0x0a;
const SPACE = 0x20;
/** Largest zstd window, bytes: sixteen times that of Inspect AI. */
const MAX_ZSTD_WINDOW = 32 * 1024 * 1024;

/**
 * The samples in a log of Inspect AI, which is a ZIP archive with a file for each, as soon as they are read. Each is a line with a
 * log of this one sample, in the form in which `inspect log dump` writes the whole log.
 *
 * @throws UsageError when the archive is another one, is damaged, or ends too early
 */
export async function* samplesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const archive = new Archive();
  for await (const chunk of chunks) yield* archive.push(chunk, false);
  yield* archive.push(Buffer.alloc(0), true);
}

class Archive {
  readonly #unzip = new Unzip((file) => this.#open(file));
  /** The evaluation of all samples, as JSON. */
  #evaluation = '{}';
  #samples: Buffer[] = [];
  #isLog = false;

  constructor() {
    this.#unzip.register(UnzipInflate);
    this.#unzip.register(UnzipZstd);
  }

  /** The samples that end in a chunk, also in front of a fault. */
  *push(chunk: Buffer, isLast: boolean): Generator<Buffer> {
    this.#samples = [];
    let fault: UsageError | undefined;
    try {
      this.#unzip.push(chunk, isLast);
    } catch (error) {
      fault = new UsageError(faultOf(error, isLast), { cause: error });
    }
    yield* this.#samples;
    if (fault !== undefined) throw fault;
    if (isLast && !this.#isLog)
      throw new UsageError('a ZIP archive, but not an Inspect AI log: unpack it first');
  }

  #open(file: UnzipFile): void {
    const isStart = file.name === START;
    if (!isStart && !SAMPLE.test(file.name)) return;
    this.#isLog = true;
    const parts: Buffer[] = [];
    file.ondata = (error, data, isEnd) => {
      if (error !== null) throw error;
      // A decoder may use its buffer again.
      parts.push(inOneLine(Buffer.from(data)));
      if (!isEnd) return;
      const text = Buffer.concat(parts);
      if (isStart) this.#evaluation = evaluationIn(text);
      else this.#samples.push(this.#lineOf(text));
    };
    file.start();
  }

  #lineOf(sample: Buffer): Buffer {
    return Buffer.concat([
      Buffer.from(`{"eval":${this.#evaluation},"samples":[`),
      sample,
      Buffer.from(']}\n'),
    ]);
  }
}

/** Newer versions of Inspect AI compress with zstd, for which the library has no decoder. */
class UnzipZstd implements UnzipDecoder {
  static readonly compression = 93;
  declare ondata: UnzipDecoder['ondata'];
  readonly #decode = zstdDecoder((block) => this.ondata(null, new Uint8Array(block), false), MAX_ZSTD_WINDOW);

  push(data: Uint8Array, isLast: boolean): void {
    this.#decode(data, isLast);
    if (isLast) this.ondata(null, new Uint8Array(0), true);
  }
}

/** Line breaks between the values of JSON are white space. */
function inOneLine(json: Buffer): Buffer {
  for (let at = json.indexOf(LINE_BREAK); at !== -1; at = json.indexOf(LINE_BREAK, at)) json[at] = SPACE;
  return json;
}

/** What every sample needs of the evaluation. */
function evaluationIn(start: Buffer): string {
  const { eval: evaluation } = (jsonFrom(start.toString()) ?? {}) as { readonly eval?: unknown };
  return JSON.stringify(evaluation ?? {});
}

function faultOf(error: unknown, isLast: boolean): string {
  const isCut = isLast && (error as FlateError).code === FlateErrorCode.InvalidZipData;
  return isCut ? 'the log of Inspect AI is truncated' : `a damaged ZIP archive: ${messageOf(error)}`;
}
