import type { Settings } from '@loopwatch/contract';
import { semanticLayer } from '@loopwatch/detectors';
import { detectionOf } from '@loopwatch/detectors/internal';
import { type ModelClient, modelClient } from '@loopwatch/worker';
import type { Logger } from 'pino';

/** The configured model. Logs that semantic checks are off when they need one that is not configured. */
export function configuredModel(settings: Settings, logger: Logger): ModelClient | undefined {
  const model = modelClient(settings.llm);
  const { plan, tiers } = detectionOf(settings, semanticLayer);
  const wanted = [plan, ...[...(tiers?.values() ?? [])].map((tier) => tier.plan)].some(({ on }) =>
    on.has('semantic'),
  );
  if (wanted && model === undefined) {
    logger.info(
      'Semantic checks are off: no model is configured (set llm.model with llm.base_url or llm.api_key)',
    );
  }
  return model;
}
