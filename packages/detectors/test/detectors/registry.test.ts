import { detectorIds } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { detectors } from '../../src/index.ts';
import { callsAndText } from '../../src/lean/calls-and-text.ts';

const ids = detectors.map(({ id }) => id);

it('every detector of the contract is registered, once', () => {
  expect(ids.toSorted()).toEqual(detectorIds.toSorted());
});

it('the lean library has its detectors in their places in the registry', () => {
  const { detectors: lean } = callsAndText;
  expect(lean.map((one, i) => one?.id ?? ids[i])).toEqual(ids.slice(0, lean.length));
});
