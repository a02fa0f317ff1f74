import type { Privacy } from '../../privacy/presentable.ts';
import type { SemanticOptions } from './options.ts';
import { Semantic } from './semantic.ts';

/**
 * The detector that asks a model, injected by callers that have one. Others omit it, which keeps browser bundles
 * smaller.
 */
export interface SemanticLayer {
  create(options: SemanticOptions, privacy: Privacy): Semantic;
}

export const semanticLayer: SemanticLayer = {
  create: (options, privacy) => new Semantic(options, privacy),
};
