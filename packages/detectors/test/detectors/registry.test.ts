import { detectorIds } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { detectors } from '../../src/index.ts';
import { callsAndText } from '../../src/lean/calls-and-text.ts';

const ids = detectors.map(({ id }) => id);

it('registry: contains every detector of the contract once', () => {
  expect(ids.toSorted()).toEqual(detectorIds.toSorted());
});

it('lean library: lists its detectors in the order of the registry', () => {
  const { detectors: lean } = callsAndText;
  expect(lean.map((one, i) => one?.id ?? ids[i])).toEqual(ids.slice(0, lean.length));
});
