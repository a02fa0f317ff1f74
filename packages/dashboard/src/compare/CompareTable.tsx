import { type Difference, MIN_SESSIONS } from '@loopwatch/contract/api';
import { visibleText } from '../lib/visible-text.ts';
import type { Row } from './measures.ts';

interface Props {
  readonly rows: readonly Row[];
  /** Names of the two sides. */
  readonly a: string;
  readonly b: string;
}

const texts: Readonly<Record<Difference, string>> = {
  'too few': `too little data (at least ${String(MIN_SESSIONS)} sessions each)`,
  unclear: 'no clear difference',
  higher: 'clearly higher',
  lower: 'clearly lower',
};

/** The measures of both sides, with the interval that holds the true value with 95% confidence. */
export function CompareTable({ rows, a, b }: Props) {
  return (
    <>
      <table className="table [&_:is(th,td)]:text-left [&_thead_th]:wrap-anywhere max-sm:[--cell:8px]">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">{visibleText(a)}</th>
            <th scope="col">{visibleText(b)}</th>
            <th scope="col">Second vs. first</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, difference, ...sides }) => (
            <tr key={id}>
              <th scope="row" className="font-550">
                {name}
              </th>
              {[sides.a, sides.b].map(({ text, interval }, i) => (
                <td key={i === 0 ? 'a' : 'b'}>
                  <b className="font-600">{text}</b>
                  <small className="block text-xs text-ink3">{interval}</small>
                </td>
              ))}
              <td
                className="text-sm text-ink2 data-[difference=higher]:font-600 data-[difference=lower]:font-600 data-[difference=higher]:text-hot data-[difference=lower]:text-ok"
                data-difference={difference}
              >
                {difference === undefined ? '' : texts[difference]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="border-t px-4 py-2 text-xs text-ink3">
        Below each value: its 95% confidence interval. Two values differ clearly if their intervals do not
        overlap.
      </p>
    </>
  );
}
