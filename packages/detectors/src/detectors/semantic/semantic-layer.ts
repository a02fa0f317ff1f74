import type { Privacy } from '../../privacy/mask.ts';
import type { SemanticOptions } from './options.ts';
import { Semantic } from './semantic.ts';

/**
 * The detector that asks a model, as those hand it in who have somebody to ask. The others leave it out, and a bundle
 * for a browser is the smaller for it.
 */
export interface SemanticLayer {
  create(options: SemanticOptions, privacy: Privacy): Semantic;
}

export const semanticLayer: SemanticLayer = {
  create: (options, privacy) => new Semantic(options, privacy),
};
