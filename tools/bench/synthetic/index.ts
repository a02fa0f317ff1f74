import { randomNumbers } from '../prose.ts';
import { type Profile, type Quantiles, SHARES } from './profile.ts';
import { profiles } from './profiles.ts';
import { Texts } from './texts.ts';

const START = 1_760_000_000_000;
const STEP_MS = 200;
const SEED = 20_261_125;
/** Shares of repeated calls that are repeated again, and that have the same result. */
const GOES_ON = 0.7;
const SAME_IN_RUN = 0.6;

/** A type and not an interface, so that it fits the contract's open objects. */
export type SyntheticEvent = {
  readonly id: string;
  readonly sessionId: string;
  readonly time: number;
  readonly type: string;
  readonly [field: string]: unknown;
};

/** Sessions with the statistics of the recorded ones, the same in every run. */
export function syntheticSessions(kind: Profile['kind']): { name: string; events: SyntheticEvent[] }[] {
  return profiles
    .filter((profile) => profile.kind === kind)
    .map((profile, i) => {
      const twin = new Twin(profile, SEED + i);
      const sessions = Array.from({ length: profile.sessions }, (_, n) =>
        twin.session(`${profile.name}-${String(n)}`, valueAt(profile.events, (n + 0.5) / profile.sessions)),
      );
      const events = sessions.flat();
      // The recordings of this kind took turns.
      if (kind === 'trajectories') events.sort((a, b) => a.time - b.time);
      return { name: profile.name, events };
    });
}

/** Generates sessions of one profile. */
export class Twin {
  readonly #profile: Profile;
  readonly #random: () => number;
  readonly #texts: Texts;

  constructor(profile: Profile, seed: number) {
    this.#profile = profile;
    this.#random = randomNumbers(seed);
    this.#texts = new Texts(this.#random);
  }

  /** A session of about this many events. */
  session(sessionId: string, length: number): SyntheticEvent[] {
    const events: SyntheticEvent[] = [];
    const add = (type: string, fields: object = {}) => {
      const index = events.length;
      const time = START + index * STEP_MS;
      events.push({ v: 1, id: `${sessionId}#${String(index)}`, sessionId, time, type, ...fields });
    };
    const { prompts } = this.#profile;
    const past: Past = { calls: [], results: [], isRun: false };
    add('prompt_started', { text: this.#text('prompt') });
    for (let turn = 0; events.length + turn / 2 < length - 1; ) {
      const before = events.length;
      this.#turn(add, past);
      turn = events.length - before;
      if (this.#random() < prompts) add('prompt_started', { text: this.#text('prompt') });
    }
    add('session_ended');
    return events;
  }

  #turn(add: (type: string, fields?: object) => void, past: Past): void {
    const { thoughts, pieces, finished, results } = this.#profile;
    add('turn_started');
    if (this.#random() < thoughts) add('thought', { text: this.#text('thought') });
    const count = Math.round(valueAt(pieces, this.#random()));
    // Pieces of one answer continue each other.
    const sizes = Array.from({ length: count }, () => this.#size('content'));
    const answer = this.#texts.text(
      'prose',
      sizes.reduce((sum, size) => sum + size, 0),
    );
    let from = 0;
    for (const size of sizes) {
      add('content', { text: answer.slice(from, from + size) });
      from += size;
    }
    const calls = Array.from({ length: this.#callCount() }, () => this.#call(past));
    for (const { callId, name, args } of calls) add('tool_call_request', { callId, name, args });
    const answers = results === 'never' ? [] : calls.filter(() => this.#random() < this.#profile.answered);
    const addAnswers = () => {
      for (const call of answers) add('tool_result', this.#result(call, past));
    };
    if (results === 'inTurn') addAnswers();
    if (this.#random() < finished)
      add('turn_finished', { usage: { inputTokens: 1000 + this.#texts.int(9e4), outputTokens: 400 } });
    if (results === 'afterTurn') addAnswers();
  }

  #call(past: Past): Call {
    const { repeated, inARow, tools } = this.#profile;
    const callId = `toolu_${this.#texts.hex(20)}`;
    // Repetition comes in runs.
    past.isRun = this.#random() < (past.isRun ? GOES_ON : inARow * (1 - GOES_ON));
    const isOld = this.#random() < repeated - inARow;
    const again = past.isRun ? past.calls.at(-1) : isOld ? this.#texts.pick(past.calls) : undefined;
    let share = this.#random();
    const tool = tools.find((one) => (share -= one.share) < 0) ?? tools[0];
    if (tool === undefined) throw new Error('a profile needs tools');
    const call = again ?? {
      name: tool.name,
      args: this.#texts.args(tool.args, this.#size('args')),
      kind: tool.result,
    };
    past.calls.push(call);
    return { ...call, callId };
  }

  #result({ callId, kind }: Call, past: Past): object {
    const { sameResult, errors } = this.#profile;
    if (this.#random() < errors) {
      const text = `Error: Exit code 1\n${this.#texts.text('log', 40 + this.#texts.int(400))}`;
      return { callId, result: text, isError: true };
    }
    const isSame = this.#random() < (past.isRun ? Math.max(SAME_IN_RUN, sameResult) : sameResult);
    const same = isSame ? this.#texts.pick(past.results.slice(past.isRun ? -1 : -8)) : undefined;
    const result = same ?? this.#texts.text(kind, this.#size('result'));
    past.results.push(result);
    return { callId, result };
  }

  #callCount(): number {
    let share = this.#random();
    return Math.max(
      0,
      this.#profile.calls.findIndex((one) => (share -= one) < 0),
    );
  }

  #text(of: 'prompt' | 'thought'): string {
    return this.#texts.text('prose', this.#size(of));
  }

  #size(of: 'args' | 'content' | 'prompt' | 'result' | 'thought'): number {
    return Math.round(valueAt(this.#profile[of], this.#random()));
  }
}

interface Call {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  readonly kind: Profile['tools'][number]['result'];
}

/** What a session may repeat. */
interface Past {
  readonly calls: Omit<Call, 'callId'>[];
  readonly results: string[];
  /** Whether the latest call repeated the one before it. */
  isRun: boolean;
}

/** The value at a share of a distribution, on a logarithmic scale between the known ones. */
function valueAt(quantiles: Quantiles, share: number): number {
  const upper = Math.max(
    1,
    SHARES.findIndex((one) => one >= share),
  );
  const [low = 0, high = 0] = [SHARES[upper - 1], SHARES[upper]];
  const [from, to] = [Math.log1p(quantiles[upper - 1] ?? 0), Math.log1p(quantiles[upper] ?? 0)];
  return Math.expm1(from + ((to - from) * (share - low)) / (high - low));
}
