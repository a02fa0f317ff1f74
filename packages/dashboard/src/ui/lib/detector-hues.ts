import { detectorFacts, detectorIds } from '@loopwatch/contract';
import { detectorPatterns, patternMask } from './detector-patterns.ts';

/**
 * Adds each detector's color as `--d-<id>`, and inside elements with `data-detector` as `--hue`; its pattern as `--pattern`.
 */
export function addDetectorHues(target: Document): void {
  const hues = detectorIds.map((id) => `--d-${id}: ${detectorFacts[id].color};`);
  const uses = detectorIds.map((id) => {
    const path = detectorPatterns[id];
    const pattern = path === '' ? 'none' : patternMask(path);
    return `[data-detector="${id}"] { --hue: var(--d-${id}); --pattern: ${pattern}; }`;
  });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([`:root { ${hues.join(' ')} }`, ...uses].join('\n'));
  target.adoptedStyleSheets = [...target.adoptedStyleSheets, sheet];
}
