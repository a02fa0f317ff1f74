import {
  type Color,
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
  wcagContrast,
} from 'culori';
import { describe, expect, it } from 'vitest';
import { detectorFacts } from '../src/index.ts';

/** Colors closer than this look alike in a chart. */
const SAFE_DISTANCE = 10;
/** WCAG 2.2, 1.4.11: of graphics against what is behind them. */
const SAFE_CONTRAST = 3;

const sights = {
  'full color vision': (color: Color) => color,
  protanopia: filterDeficiencyProt(1),
  deuteranopia: filterDeficiencyDeuter(1),
  tritanopia: filterDeficiencyTrit(1),
};
/** The panels of the pages: see `tokens.css` of the dashboard. */
const panels = { light: 'oklch(100% 0 0)', dark: 'oklch(20.8% 0.013 262)' };

/** The colors of the detectors in a theme. */
function colorsIn(theme: 'light' | 'dark'): readonly (readonly [detector: string, color: Color])[] {
  return Object.entries(detectorFacts).map(([id, { color }]) => {
    const [, light = '', dark = ''] = /^light-dark\((.+), (oklch.+)\)$/.exec(color) ?? [];
    return [id, colorOf(theme === 'light' ? light : dark)];
  });
}

function colorOf(text: string): Color {
  const color = parse(text);
  if (color === undefined) throw new Error(`${text} is no color`);
  return color;
}

describe.each(['light', 'dark'] as const)('colors of detectors in the %s theme', (theme) => {
  const colors = colorsIn(theme);

  it.each(Object.entries(sights))('can be told apart with %s', (_, seen) => {
    const distance = differenceCiede2000();
    const close = colors.flatMap(([one, first], i) =>
      colors
        .slice(i + 1)
        .map(([other, second]) => ({ one, other, apart: distance(seen(first), seen(second)) }))
        .filter(({ apart }) => apart < SAFE_DISTANCE),
    );
    expect(close).toEqual([]);
  });

  it.each(colors)('%s stands out from its panel', (_, color) => {
    expect(wcagContrast(color, colorOf(panels[theme]))).toBeGreaterThanOrEqual(SAFE_CONTRAST);
  });
});
