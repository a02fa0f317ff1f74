import type { Settings } from '@loopwatch/contract';
import { detectionOf, semanticLayer } from '@loopwatch/detectors';
import { type ModelClient, modelClient } from '@loopwatch/worker';
import type { Logger } from 'pino';

/** The configured model. Without one the semantic layer is off, and the log says so. */
export function configuredModel(settings: Settings, logger: Logger): ModelClient | undefined {
  const model = modelClient(settings.llm);
  const { plan, tiers } = detectionOf(settings, semanticLayer);
  const wanted = [plan, ...[...(tiers?.values() ?? [])].map((tier) => tier.plan)].some(({ on }) =>
    on.has('semantic'),
  );
  if (wanted && model === undefined) {
    logger.info(
      'The semantic layer is off: no model is configured (llm.model with llm.base_url or llm.api_key)',
    );
  }
  return model;
}
