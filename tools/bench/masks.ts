import { maskPatterns, maskSecrets } from '@loopwatch/detectors/internal';
import { type Bench, median, rounded, time } from './measure.ts';
import { prose } from './prose.ts';

const SIZE = 1_000_000;
const RUNS = 7;
const PATTERNS = ['cust-[0-9]{6}', '\\w+@corp\\.com', '\\b[A-Z]{2}\\d{2}(?: ?\\d{4}){3,5}\\b'];

/** The cost of custom masks on a text, compared with the built-in ones. */
export const masks: Bench = () => {
  const text = prose(SIZE);
  const patterns = maskPatterns(PATTERNS);
  const times = Array.from({ length: RUNS }, () => ({
    own: time(() => void maskSecrets(text)),
    users: time(() => void maskSecrets(text, patterns)),
  }));
  const own = median(times.map((run) => run.own));
  const users = median(times.map((run) => run.users)) - own;
  return [
    {
      bench: 'masks',
      ratio: rounded(users / PATTERNS.length / own),
      required: '<= 10',
      built_in_ns_per_unit: rounded((own * 1e6) / SIZE),
      ns_per_unit_of_a_pattern: rounded((users / PATTERNS.length) * (1e6 / SIZE)),
    },
  ];
};
