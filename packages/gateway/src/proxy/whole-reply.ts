import type { PureVerdict } from '@loopwatch/detectors';
import type { Json, Reply } from '../api/conversation.ts';
import { parseObject, summed, usageOf } from '../api/json.ts';
import { type FlatHeaders, responseHeaders, withoutHeaders } from '../http/headers.ts';
import { failedRetry, UpstreamError } from '../http/upstream-error.ts';
import type { RequestOutcome } from '../metrics.ts';
import type { Exchange } from './exchange.ts';
import { type CallDecision, decideReply, decideReplyChoices, type ReplyDecision } from './reply-decision.ts';
import { isBlank, type ReplyHandler } from './reply-handler.ts';
import { blockOutcome } from './synthetic-reply.ts';

/** A reply in one JSON document: held back until it is judged, then sent byte for byte. */
export class WholeReply implements ReplyHandler {
  readonly #exchange: Exchange;
  readonly #status: number;
  readonly #headers: FlatHeaders;
  readonly #statusMessage: string;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isPassthrough = false;

  constructor(exchange: Exchange, status: number, headers: FlatHeaders, statusMessage: string) {
    this.#exchange = exchange;
    this.#status = status;
    this.#headers = headers;
    this.#statusMessage = statusMessage;
  }

  data(chunk: Buffer): void {
    const { client, deps } = this.#exchange;
    if (this.#isPassthrough) {
      client.write(chunk);
      return;
    }
    if (this.#bytes === 0 && isBlank(chunk)) {
      // It must not wait for the reply: the client may have a timeout.
      client.head(this.#status, withoutHeaders(this.#headers, 'content-length'), this.#statusMessage);
      client.write(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= deps.maxHeldBytes) return;
    this.#isPassthrough = true;
    this.#exchange.noteUnjudged('too_large');
    client.head(this.#status, this.#headers, this.#statusMessage);
    for (const held of this.#chunks) client.write(held);
    this.#chunks = [];
  }

  async end(): Promise<RequestOutcome> {
    const { client, deps, request } = this.#exchange;
    if (this.#isPassthrough) {
      client.end();
      return 'passed';
    }
    const body = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const json = parseObject(body.toString('utf8'));
    const reply = json && request.api.readReply(json);
    if (json === undefined || reply === undefined) {
      this.#exchange.noteUnjudged('malformed');
      return this.#pass(body);
    }
    this.#exchange.noteReply(reply.id, () => json);
    if (deps.background.note(json, request.body)) return this.#pass(body);
    deps.unjudged.noteCalls(reply.unknownCalls);
    if (reply.choices !== undefined) return this.#judgeChoices(reply, json, body);
    const decision = decideReply(request.session, reply, deps.now());
    if (decision === undefined) return this.#pass(body);
    const { enforcement, call } = decision;
    if (enforcement.action === 'block' || call === undefined) return this.#block(decision, json, reply.text);
    const refused = { enforcement, call };
    try {
      return await this.#retry(json, refused);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (client.signal.aborted) return this.#exchange.fail(error);
      return this.#block({ enforcement: this.#exchange.blockRetry(refused, error), call }, json, reply.text);
    }
  }

  failed(error: UpstreamError): RequestOutcome {
    return this.#exchange.fail(error);
  }

  #pass(body: Buffer): RequestOutcome {
    this.#exchange.client.head(this.#status, this.#headers, this.#statusMessage);
    this.#exchange.client.end(body);
    return 'passed';
  }

  /** Replaces the choices that must not pass, and leaves the others as they are. */
  #judgeChoices(reply: Reply, json: Json, body: Buffer): RequestOutcome {
    const { client, deps, request } = this.#exchange;
    const refused = decideReplyChoices(request.session, reply, deps.now());
    const [first] = refused.values();
    if (first === undefined) return this.#pass(body);
    const replies = new Map(
      [...refused].map(([index, { enforcement }]) => [index, this.#exchange.blockReply(enforcement)]),
    );
    const kept = withoutHeaders(this.#headers, 'content-type', 'content-length');
    client.json(this.#status, request.api.withRefused?.(request.body, json, replies) ?? json, kept);
    return blockOutcome(first.enforcement);
  }

  /** Gives the model a chance. @throws UpstreamError */
  async #retry(first: Json, decision: CallDecision): Promise<RequestOutcome> {
    const exchange = this.#exchange;
    const key = exchange.request.api.usageKey;
    const retry = await exchange.retry(first, decision);
    if ('block' in retry) {
      exchange.sendSynthetic(exchange.blockReply(retry.block), this.#headers, usageOf(first, key));
      return 'limited';
    }
    const { response } = retry;
    const second = response.status < 300 ? parseObject(response.body.toString('utf8')) : undefined;
    const reply = second && exchange.request.api.readReply(second);
    const headers = responseHeaders(response.headers);
    if (second === undefined || reply === undefined) throw failedRetry(response.status);
    // Both replies were paid for.
    const usage = summed(usageOf(first, key), usageOf(second, key));
    const json = usage === null ? second : { ...second, [key]: usage };
    if (retry.decision !== undefined) return this.#block(retry.decision, json, reply.text);
    exchange.noteReply(reply.id, () => second);
    exchange.client.json(response.status, json, withoutHeaders(headers, 'content-type', 'content-length'));
    return 'passed';
  }

  #block({ enforcement, call }: ReplyDecision, json: Json, text: string): RequestOutcome {
    const synthetic = this.#exchange.blockReply(enforcement);
    const kept = call === undefined ? textBeforeLoop(text, enforcement.verdict, this.#exchange) : '';
    const reply = kept === '' ? synthetic : { ...synthetic, text: `${kept}\n\n${synthetic.text}` };
    this.#exchange.sendSynthetic(reply, this.#headers, usageOf(json, this.#exchange.request.api.usageKey));
    return blockOutcome(enforcement);
  }
}

/** The text up to the point where it was found to repeat itself. */
function textBeforeLoop(text: string, { evidence }: PureVerdict, { request }: Exchange): string {
  if (!('at' in evidence)) return '';
  const end = evidence.at + 1 - (request.session.textUnits - text.length);
  return text.slice(0, Math.max(0, end));
}
