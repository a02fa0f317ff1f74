export { asPrinted, printedPattern } from './as-printed.ts';
export { blocksCheckedBy, checkOf } from './checked-blocks.ts';
export { type FencedBlock, fencedBlocks, root } from './fenced-blocks.ts';
export { pageChecks } from './page-checks.ts';
export { documentedPages } from './pages.ts';
