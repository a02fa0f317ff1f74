import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, ROOT_CONTEXT, trace } from '@opentelemetry/api';

/**
 * Keeps the active span of asynchronous work. Work that outlives its span, such as a loop that a request started, is not part
 * of it; with OpenTelemetry's own manager it would be.
 */
export class ActiveSpans implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    const context = this.#storage.getStore() ?? ROOT_CONTEXT;
    const span = trace.getSpan(context);
    return span !== undefined && 'ended' in span && span.ended === true ? ROOT_CONTEXT : context;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(context, () => work.apply(self, args));
  }

  bind<T>(_context: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}
