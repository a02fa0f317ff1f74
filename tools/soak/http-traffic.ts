import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../chaos/random.ts';
import { mixedLine } from './hostile-records.ts';
import type { Pace } from './pace.ts';

/** The outcome of the posted lines. */
export interface PostedLines {
  sent: number;
  accepted: number;
  duplicates: number;
  ignored: number;
  rejected: number;
  /** Lines of bodies that were permanently rejected as a whole. */
  refused: number;
  /** Bodies whose outcome is unknown: none at all, or one that does not add up. */
  readonly unresolved: string[];
}

interface Answer {
  readonly accepted?: number;
  readonly duplicates?: number;
  readonly ignored?: number | Readonly<Record<string, number>>;
  readonly rejected?: number | readonly unknown[];
  readonly rejectedTotal?: number;
}

const BODY_LINES = 200;
const MAX_TRIES = 20;

/** Posts mixed lines at the given pace; some bodies are entirely invalid. */
export async function postLines(
  url: string,
  count: number,
  random: Random,
  pace: Pace,
): Promise<PostedLines> {
  const posted: PostedLines = {
    sent: 0,
    accepted: 0,
    duplicates: 0,
    ignored: 0,
    rejected: 0,
    refused: 0,
    unresolved: [],
  };
  for (let sent = 0; sent < count; sent += BODY_LINES) {
    await pace.reach(sent / count);
    const size = Math.min(BODY_LINES, count - sent);
    const junk = random.chance(0.02);
    const lines = Array.from({ length: size }, (_, i) => (junk ? 'x' : mixedLine(1e9 + sent + i, random)));
    posted.sent += size;
    await post(url, lines, posted);
  }
  return posted;
}

async function post(url: string, lines: readonly string[], posted: PostedLines): Promise<void> {
  // A mutation may empty a line, and empty lines do not count.
  const counted = lines.filter((line) => line.trim() !== '').length;
  posted.sent -= lines.length - counted;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    }).catch((error: unknown) => String(error));
    if (typeof response === 'string') {
      posted.unresolved.push(response);
      return;
    }
    const { status } = response;
    const answer = (await response.json().catch(() => ({}))) as Answer;
    if (status === 429 || status === 503) {
      await delay(1_000 * Number(response.headers.get('retry-after') ?? 1));
      continue;
    }
    if (status === 413 || status === 422) posted.refused += counted;
    else tally(answer, status, counted, posted);
    return;
  }
  posted.unresolved.push(`no room after ${String(MAX_TRIES)} tries`);
}

function tally(answer: Answer, status: number, counted: number, posted: PostedLines): void {
  const { accepted = 0, duplicates = 0, ignored = 0, rejected = 0 } = answer;
  const listed = typeof rejected === 'number' ? rejected : rejected.length;
  const ignoredLines =
    typeof ignored === 'number' ? ignored : Object.values(ignored).reduce((a, b) => a + b, 0);
  const refused = answer.rejectedTotal ?? listed;
  const sum = accepted + duplicates + ignoredLines + refused;
  // Duplicates and ignored lines may be counted among the accepted ones.
  if (sum !== counted && accepted + refused !== counted)
    posted.unresolved.push(`${String(status)}: ${String(sum)} of ${String(counted)} lines accounted for`);
  posted.accepted += accepted;
  posted.duplicates += duplicates;
  posted.ignored += ignoredLines;
  posted.rejected += refused;
}
