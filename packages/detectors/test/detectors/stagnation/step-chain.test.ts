import { expect, it } from 'vitest';
import { StepChain } from '../../../src/detectors/stagnation/step-chain.ts';
import { fingerprint } from '../../../src/lib/digest.ts';

/** Every third step grows once more after it was added. */
const added = Array.from({ length: 200 }, (_, i) => ({
  outcome: `outcome ${String(i)}`,
  regrown: i % 3 === 2,
}));

/** The hashes after each addition, computed at once. */
function eager(): { steps: string; stepsBefore: string }[] {
  let [steps, stepsBefore] = ['', ''];
  return added.map(({ outcome, regrown }) => {
    if (!regrown) stepsBefore = steps;
    steps = fingerprint(`${stepsBefore}\n${outcome}`);
    return { steps, stepsBefore };
  });
}

it('StepChain: the hashes do not depend on when they are read', () => {
  for (const every of [1, 2, 3, 7, 500]) {
    const chain = new StepChain();
    const hashes = added.map(({ outcome, regrown }, i) => {
      chain.add(outcome, regrown);
      return i % every === 0 ? chain.hashes() : undefined;
    });
    expect([...hashes, chain.hashes()]).toEqual([
      ...eager().map((expected, i) => (i % every === 0 ? expected : undefined)),
      eager().at(-1),
    ]);
  }
});

it('StepChain: a checkpoint is unaffected by later steps', () => {
  const chain = new StepChain();
  const checkpoints = added.map(({ outcome, regrown }) => {
    chain.add(outcome, regrown);
    return chain.checkpoint();
  });
  chain.clear();
  chain.add('another prompt', false);
  expect(checkpoints.map((complete) => complete())).toEqual(eager());
});

it('StepChain: continues from restored hashes', () => {
  const chain = new StepChain();
  for (const { outcome, regrown } of added.slice(0, 98)) chain.add(outcome, regrown);
  const copy = new StepChain();
  copy.restore(chain.hashes());
  for (const { outcome, regrown } of added.slice(98)) copy.add(outcome, regrown);
  expect(copy.hashes()).toEqual(eager().at(-1));
});
