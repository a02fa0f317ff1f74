import type { DetectionInput } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import { makeDetection } from '../plan/detection.ts';
import { handleOf, type SessionAnalyzerHandle } from '../session/session-analyzer-handle.ts';
import { callsAndText } from './calls-and-text.ts';

/**
 * Watches one session as the `createSessionAnalyzer` of `@loopwatch/detectors` does with the same configuration, verdict
 * for verdict, by rules that look at calls and text as they are. What the other rules are needed for is refused: preset
 * `balanced`, `tool_cycle`, `stagnation`, `outage`.
 *
 * @param config detection settings as in the configuration file; preset `stream` where none is named
 * @param semantic `semanticLayer`, where the caller answers its checks; without it the layer is off, and not bundled
 * @throws ZodError that names the key, when the configuration is wrong, or needs more than is here
 */
export function createSessionAnalyzer(
  config: DetectionInput = {},
  { semantic = null }: { readonly semantic?: SemanticLayer | null } = {},
): SessionAnalyzerHandle {
  const settings = callsAndText.schema.parse({ ...config, preset: config.preset ?? 'stream' });
  return handleOf(makeDetection(settings, callsAndText, semantic));
}
