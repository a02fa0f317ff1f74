export { blocksCheckedBy, checkOf } from './checked-blocks.ts';
export { type FencedBlock, fencedBlocks, root } from './fenced-blocks.ts';
export { type Checked, pageChecks } from './page-checks.ts';
