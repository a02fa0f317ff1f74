import type { DetectionInput } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import { sharedDetection } from '../plan/detection.ts';
import { handleOf, type SessionAnalyzerHandle } from './session-analyzer-handle.ts';

/**
 * Watches one session: `createSessionAnalyzer({ preset: 'stream' }).push(event)`.
 *
 * @param config detection settings as in the configuration file; the preset supplies defaults
 * @param semantic `semanticLayer`, if the caller answers its checks; without it the layer is off and not bundled
 * @throws TypeError that names the key, if the configuration is invalid
 */
export function createSessionAnalyzer(
  config: DetectionInput = {},
  { semantic = null }: { readonly semantic?: SemanticLayer | null } = {},
): SessionAnalyzerHandle {
  return handleOf(sharedDetection(config, semantic));
}
