import { detectorIds } from '@loopwatch/contract';
import { expect, it } from 'vitest';
import { detectorMetas } from '../../src/index.ts';
import { detectorKinds } from '../../src/plan/registry.ts';

it('every detector of the contract is registered and described, in one order', () => {
  const ids = detectorKinds.map(({ id }) => id);
  expect(detectorMetas.map(({ id }) => id)).toEqual(ids);
  expect(ids.toSorted()).toEqual(detectorIds.toSorted());
});
