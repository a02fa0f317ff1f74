import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

/** What browsers apply by themselves, and what base.css and tokens.css turn on. */
const features = {
  inter: ['calt', 'ccmp', 'kern', 'locl', 'mark', 'mkmk', 'tnum', 'cv05', 'cv08'],
  'jetbrains-mono': ['ccmp', 'kern', 'locl', 'mark', 'mkmk'],
};

/** From the lightest weight of tokens.css to the bold of browsers. */
const weights = { min: 400, max: 700 };

/** The characters of English text. */
const english = 'U+0020-007E,U+00A0,U+00B7,U+00D7,U+2013-2014,U+2018-2019,U+201C-201D,U+2022,U+2026,U+2212';

const parts = /url\(\.\/files\/((inter|jetbrains-mono)-[\w-]+)\.woff2\)[^}]*unicode-range: ([^;]+);/;

/**
 * Cuts the fonts to the features and weights that styles use, which leaves half of their bytes, and adds faces for English
 * text, which is all that a first view shows to many.
 */
export function subsetFonts(): Plugin {
  const cache = join(import.meta.dirname, '../../.cache/fonts');
  return {
    name: 'loopwatch:subset-fonts',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /@fontsource-variable[\\/].*\.css$/ },
      async handler(css, id) {
        await mkdir(cache, { recursive: true });
        const folder = dirname(id);
        const faces: string[] = [];
        for (const [face] of css.matchAll(/@font-face \{[^}]*\}/g)) {
          const [, name = '', family = '', range = ''] = parts.exec(face) ?? [];
          if (name === '') throw new Error(`${id} has a face of an unknown form: ${face}`);
          const font = await readFile(join(folder, `files/${name}.woff2`));
          const cuts = [{ file: `${name}.woff2`, range }];
          // Of two faces with a character, browsers use the later one.
          if (name.includes('-latin-wght-'))
            cuts.push({ file: `${name.replace('latin', 'english')}.woff2`, range: english });
          for (const cut of cuts) {
            const subset = await subsetFont(font, charactersOf(cut.range), {
              targetFormat: 'woff2',
              keepFeatures: features[family as keyof typeof features],
              variationAxes: { wght: weights },
              noHinting: true,
            });
            await writeFile(join(cache, cut.file), subset);
            faces.push(
              face
                .replace(/url\([^)]+\)/, `url(${relative(folder, join(cache, cut.file))})`)
                .replace(/unicode-range: [^;]+/, `unicode-range: ${cut.range}`),
            );
          }
        }
        return faces.join('\n');
      },
    },
  };
}

/** @param range such as `U+0000-00FF,U+0131` */
function charactersOf(range: string): string {
  return range
    .split(',')
    .flatMap((part) => {
      const [from = 0, to = from] = part
        .replace('U+', '')
        .split('-')
        .map((code) => Number.parseInt(code, 16));
      return Array.from({ length: to - from + 1 }, (_, step) => String.fromCodePoint(from + step));
    })
    .join('');
}
