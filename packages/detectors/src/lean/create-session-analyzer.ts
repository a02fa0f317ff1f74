import type { DetectionInput } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import { makeDetection } from '../plan/detection.ts';
import { handleOf, type SessionAnalyzerHandle } from '../session/session-analyzer-handle.ts';
import { callsAndText } from './calls-and-text.ts';

/**
 * Watches one session with only the rules over calls and text, giving the same verdicts as the
 * `createSessionAnalyzer` of `@loopwatch/detectors` with the same configuration. Settings that need other rules are
 * rejected: preset `balanced`, `tool_cycle`, `stagnation`, `outage`.
 *
 * @param config detection settings as in the configuration file; default preset: `stream`
 * @param semantic `semanticLayer`, if the caller answers its checks; without it the layer is off and not bundled
 * @throws ZodError that names the key, if the configuration is invalid or needs rules that this entry does not have
 */
export function createSessionAnalyzer(
  config: DetectionInput = {},
  { semantic = null }: { readonly semantic?: SemanticLayer | null } = {},
): SessionAnalyzerHandle {
  const settings = callsAndText.schema.parse({ ...config, preset: config.preset ?? 'stream' });
  return handleOf(makeDetection(settings, callsAndText, semantic));
}
