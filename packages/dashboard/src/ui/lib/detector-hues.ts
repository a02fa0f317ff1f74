import { detectorFacts } from '@loopwatch/contract';

/** Adds each detector's color as `--d-<id>`, and as `--hue` inside elements with `data-detector`. */
export function addDetectorHues(target: Document): void {
  const facts = Object.entries(detectorFacts);
  const hues = facts.map(([id, { color }]) => `--d-${id}: ${color};`);
  const uses = facts.map(([id]) => `[data-detector="${id}"] { --hue: var(--d-${id}); }`);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([`:root { ${hues.join(' ')} }`, ...uses].join('\n'));
  target.adoptedStyleSheets = [...target.adoptedStyleSheets, sheet];
}
