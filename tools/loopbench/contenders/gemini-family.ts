import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Contender } from './contender.ts';

interface Service {
  reset(promptId: string): void;
  addAndCheck(event: {
    readonly type: string;
    readonly value: unknown;
  }): boolean | { readonly count: number };
}

/**
 * The methods that gemini-cli's and qwen-code's services call on their configuration. Its other methods are never
 * called here.
 */
const configuration = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === 'config') return configuration;
      if (name === 'then') return undefined;
      return () => (name === 'getSessionId' ? 'loopbench' : false);
    },
  },
);

/**
 * The loop detection of gemini-cli or of qwen-code, which is derived from it: its own class from its npm package. It
 * receives prompts, text and tool calls, which is all it examines. Its check by a model is not run.
 */
export async function geminiFamily(folder: string, name: string, packageName: string): Promise<Contender> {
  const root = join(folder, 'node_modules', packageName);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const file = pathToFileURL(join(root, 'dist/src/services/loopDetectionService.js')).href;
  const { LoopDetectionService } = (await import(file)) as {
    LoopDetectionService: new (configuration: object) => Service;
  };
  return {
    name,
    version,
    note: 'its own class; without the question to a model',
    reports(events) {
      const service = new LoopDetectionService(configuration);
      service.reset('first');
      return events.some((event, i) => {
        if (event.type === 'prompt_started') service.reset(`prompt-${String(i)}`);
        const found =
          event.type === 'content'
            ? service.addAndCheck({ type: 'content', value: event['text'] })
            : event.type === 'tool_call_request'
              ? service.addAndCheck({
                  type: 'tool_call_request',
                  value: { name: event['name'], args: event['args'] },
                })
              : false;
        return typeof found === 'boolean' ? found : found.count > 0;
      });
    },
  };
}
