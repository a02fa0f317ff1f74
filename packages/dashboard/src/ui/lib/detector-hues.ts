import { detectorFacts } from '@loopwatch/contract';

/** One hue a detector, everywhere: as `--d-<id>`, and as `--hue` inside of what has `data-detector`. */
export function addDetectorHues(target: Document): void {
  const facts = Object.entries(detectorFacts);
  const hues = facts.map(([id, { colour }]) => `--d-${id}: ${colour};`);
  const uses = facts.map(([id]) => `[data-detector="${id}"] { --hue: var(--d-${id}); }`);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([`:root { ${hues.join(' ')} }`, ...uses].join('\n'));
  target.adoptedStyleSheets = [...target.adoptedStyleSheets, sheet];
}
