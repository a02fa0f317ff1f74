import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from './dashboard-queries.ts';

interface Job {
  readonly uses?: string;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string; readonly id?: string }[];
}
interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(root, '.github/workflows');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}`)) as Workflow;
/** What each line `uses:` says, with its comment. */
const used = readdirSync(folder).flatMap((file) =>
  [...read(`.github/workflows/${file}`).matchAll(/^[- ]*uses: (.*)$/gm)].map(([, action = '']) => ({
    file,
    action,
  })),
);

describe('GitHub workflows', () => {
  it.each(used)('$file: pins $action by the hash of a commit, and names its version', ({ action }) => {
    expect(action).toMatch(/^(?:\.\/.+\.yml|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
  });

  it('GitHub workflows: use one version of each action', () => {
    const pins = new Set(used.map(({ action }) => action));
    const names = new Set(used.map(({ action }) => action.split('@')[0]));
    expect(pins.size).toBe(names.size);
    expect(names.size).toBeGreaterThan(10);
  });

  it('image.yml: tags the image after its scan and its signature, of the digest that was built', () => {
    const steps = workflow('image.yml').jobs['image']?.steps ?? [];
    const order = ['docker/build-push-action', 'anchore/scan-action', 'cosign sign', 'imagetools create'];
    const found = order.map((text) => steps.findIndex(({ uses, run }) => `${uses} ${run}`.includes(text)));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    const text = read('.github/workflows/image.yml');
    expect(text).not.toMatch(/^ +tags:/m);
    expect(text.match(/DIGEST: \$\{\{ steps\.build\.outputs\.digest \}\}/g)).toHaveLength(2);
  });

  it('docs/deployment.md: verifies the identity of the workflow that the release calls', () => {
    const { repository } = JSON.parse(read('packages/cli/package.json')) as { repository: { url: string } };
    const source = repository.url.replace(/^git\+(.*)\.git$/, '$1');
    const path = workflow('release.yml').jobs['image']?.uses?.replace(/^\.\//, '');
    const { push } = (
      parse(read('.github/workflows/release.yml')) as { on: { push: { branches: string[] } } }
    ).on;
    const page = read('docs/deployment.md');
    expect(page).toContain(`--certificate-identity ${source}/${path}@refs/heads/${push.branches[0]} `);
    const [, image] = /^ +IMAGE: (\S+)$/m.exec(read('.github/workflows/image.yml')) ?? [];
    expect(page).toContain(`cosign verify ${image}:VERSION `);
  });
});
