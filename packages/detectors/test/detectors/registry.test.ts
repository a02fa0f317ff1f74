import { detectorIds } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { detectors } from '../../src/internal.ts';

it('registry: contains every detector of the contract once', () => {
  expect(detectors.map(({ id }) => id).toSorted()).toEqual(detectorIds.toSorted());
});
