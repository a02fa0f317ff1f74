import type { ProxyDirection, Valve } from './tcp-proxy.ts';

/** API keys of the Kafka protocol: the requests of a transaction, metadata, and offsets. */
const apiKeys = {
  Produce: 0,
  ListOffsets: 2,
  Metadata: 3,
  InitProducerId: 22,
  AddPartitionsToTxn: 24,
  AddOffsetsToTxn: 25,
  EndTxn: 26,
  TxnOffsetCommit: 28,
} as const;

export type KafkaApi = keyof typeof apiKeys;

/** A request or reply to hold back. */
export interface HeldFrame {
  /** Resolves when the frame arrives; its connection is then blocked in that direction. */
  readonly reached: Promise<void>;
  /** Releases the frame and all frames after it. */
  release(): void;
}

interface Hold {
  readonly apiKey: number;
  readonly direction: ProxyDirection;
  readonly mark: string;
  readonly reach: (letGo: () => void) => void;
}

interface Change {
  readonly apiKey: number;
  readonly direction: ProxyDirection;
  readonly mark: string;
  readonly rewrite: (payload: Buffer) => Buffer;
}

/**
 * Intercepts the traffic between clients and a broker, and holds back or changes selected frames. A test can so kill the
 * owner of a transaction at an exact stage, or control the replies that a client gets.
 *
 * ```ts
 * const gate = new KafkaGate();
 * await using cluster = await startKafkaCluster({ nodes: 1, valve: gate.valve });
 * const commit = gate.hold('EndTxn', 'requests', 'my-transactional-id');
 * await commit.reached;
 * ```
 */
export class KafkaGate {
  readonly #holds = new Set<Hold>();
  /** Responses to hold back, by connection and correlation id. */
  readonly #awaited = new WeakMap<object, Map<number, Hold>>();
  readonly #changes = new Set<Change>();
  /** Responses to change, by connection and correlation id. */
  readonly #changing = new WeakMap<object, Map<number, Change>>();

  /**
   * Holds back the next request of this kind that contains `mark`, or the response to it. Requests of a transaction contain
   * their transactional id.
   */
  hold(api: KafkaApi, direction: ProxyDirection, mark: string): HeldFrame {
    let letGo: (() => void) | undefined;
    const reached = new Promise<void>((resolve) => {
      this.#holds.add({
        apiKey: apiKeys[api],
        direction,
        mark,
        reach: (pass) => {
          letGo = pass;
          resolve();
        },
      });
    });
    return { reached, release: () => letGo?.() };
  }

  /**
   * Changes every request of this kind that names `mark`, or the replies to them, until the returned function is called.
   * Requests contain their client's id.
   *
   * @param rewrite called with a frame without its length; it starts with the request header or the correlation id of the reply
   */
  rewrite(
    api: KafkaApi,
    direction: ProxyDirection,
    mark: string,
    rewrite: (payload: Buffer) => Buffer,
  ): () => void {
    const change: Change = { apiKey: apiKeys[api], direction, mark, rewrite };
    this.#changes.add(change);
    return () => this.#changes.delete(change);
  }

  readonly valve: Valve = (link, direction, pass) => {
    const frames = new Frames();
    let held: Buffer[] | undefined;
    return (bytes) => {
      for (const whole of frames.push(bytes)) {
        const hold = held === undefined ? this.#holdFor(link, direction, whole) : undefined;
        const frame = this.#changed(link, direction, whole);
        if (hold !== undefined) {
          held = [];
          hold.reach(() => {
            for (const each of held ?? []) pass(each);
            held = undefined;
          });
        }
        if (held === undefined) pass(frame);
        else held.push(frame);
      }
    };
  };

  #holdFor(link: object, direction: ProxyDirection, frame: Buffer): Hold | undefined {
    const awaited = this.#awaited.get(link) ?? new Map<number, Hold>();
    this.#awaited.set(link, awaited);
    if (direction === 'replies') {
      const correlation = frame.readInt32BE(4);
      const hold = awaited.get(correlation);
      awaited.delete(correlation);
      return hold;
    }
    const apiKey = frame.readInt16BE(4);
    const hold = [...this.#holds].find((each) => each.apiKey === apiKey && frame.includes(each.mark));
    if (hold === undefined) return undefined;
    this.#holds.delete(hold);
    if (hold.direction === 'requests') return hold;
    awaited.set(frame.readInt32BE(8), hold);
    return undefined;
  }

  #changed(link: object, direction: ProxyDirection, frame: Buffer): Buffer {
    const changing = this.#changing.get(link) ?? new Map<number, Change>();
    this.#changing.set(link, changing);
    if (direction === 'replies') {
      const correlation = frame.readInt32BE(4);
      const change = changing.get(correlation);
      changing.delete(correlation);
      return change === undefined ? frame : rewritten(frame, change);
    }
    const apiKey = frame.readInt16BE(4);
    const own = [...this.#changes].filter((each) => each.apiKey === apiKey && frame.includes(each.mark));
    const ofReply = own.find((change) => change.direction === 'replies');
    if (ofReply !== undefined) changing.set(frame.readInt32BE(8), ofReply);
    const ofRequest = own.find((change) => change.direction === 'requests');
    return ofRequest === undefined ? frame : rewritten(frame, ofRequest);
  }
}

function rewritten(frame: Buffer, { rewrite }: Change): Buffer {
  const payload = rewrite(frame.subarray(4));
  const length = Buffer.alloc(4);
  length.writeInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

/** Splits a stream into Kafka frames: a four-byte length and the payload. */
class Frames {
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const whole: Buffer[] = [];
    while (this.#rest.length >= 4) {
      const length = 4 + this.#rest.readInt32BE(0);
      if (this.#rest.length < length) break;
      whole.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
    return whole;
  }
}
