import { describe, expect, it } from 'vitest';

const load = (file: string) => import(new URL(`../../scripts/pack/${file}`, import.meta.url).href);

const { distributedPackages } = await load('dependencies.mjs');
type Named = { readonly name: string; readonly version: string };

describe('licenses', async () => {
  const { licenseFaults, noticesText } = await load('notices.mjs');

  it.each(['MIT', 'Apache-2.0', '(GPL-3.0-only OR MIT)', 'MIT AND ISC'])(
    'license %s: is allowed',
    (license) => {
      expect(licenseFaults([{ name: 'a', version: '1.0.0', license }])).toEqual([]);
    },
  );

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', undefined])('license %s: is rejected', (license) => {
    const faults = licenseFaults([{ name: 'a', version: '1.0.0', license }]);
    expect(faults).toEqual([expect.stringContaining(`a 1.0.0: license ${license ?? 'unknown'}`)]);
  });

  it('distributed packages: include dependencies of the command, the libraries and the dashboard, but none for development', () => {
    const names = distributedPackages().map(({ name }: Named) => name);
    expect(names).toEqual(expect.arrayContaining(['libsql', 'kafkajs', 'react', 'protobufjs', 'zod', 'ws']));
    expect(names).not.toEqual(expect.arrayContaining(['vitest']));
    expect(names.filter((name: string) => name.startsWith('@loopwatch/'))).toEqual([]);
  });

  it('notices: have the license of each bundled package', () => {
    const text = noticesText(distributedPackages({ bundled: true }));
    expect(text).toMatch(/^kafkajs \d[^\n]*\(MIT\)$/m);
    expect(text).toContain('PostgreSQL');
    expect(text).not.toMatch(/^libsql /m);
  });
});

describe('SBOM', async () => {
  const { createSbom, sbomFaults } = await load('sbom.mjs');
  const sbom = createSbom();

  it('SBOM: is valid CycloneDX about the command', () => {
    expect(sbomFaults(sbom)).toEqual([]);
    expect(sbom.metadata.component).toMatchObject({ type: 'application', name: 'loopwatch' });
    const names = sbom.components.map(({ name, version }: Named) => `${name}@${version}`);
    const distributed = distributedPackages({ own: true }).map(
      ({ name, version }: Named) => `${name}@${version}`,
    );
    expect(new Set([sbom.metadata.component['bom-ref'], ...names])).toEqual(new Set(distributed));
    expect(sbom.components.map(({ name }: Named) => name)).toContain('@loopwatch/worker');
  });

  it('SBOM: an invalid document is rejected', () => {
    const [first, ...others] = sbom.components;
    const broken = { ...sbom, components: [{ ...first, type: 'thing' }, ...others] };
    expect(sbomFaults(broken)).toEqual([expect.stringContaining('/components/0/type')]);
  });
});

describe('changelog', async () => {
  const { releaseNotes, withRelease } = await load('../release/changelog.mjs');
  const before = '# Changelog\n\nAbout.\n\n## 0.1.0 (2026-01-01)\n\nThe first version.\n';
  const changesets = [
    { summary: 'A fix.\nIt has two lines.', releases: [{ type: 'patch' }] },
    { summary: 'A new command.', releases: [{ type: 'minor' }] },
  ];
  const after = withRelease(before, '0.2.0', '2026-02-02', changesets);

  it('changelog: a release comes first, with its changesets by kind', () => {
    expect(after).toBe(
      before.replace(
        '## 0.1.0',
        '## 0.2.0 (2026-02-02)\n\n### New\n\n- A new command.\n\n### Fixes\n\n- A fix.\n  It has two lines.\n\n## 0.1.0',
      ),
    );
  });

  it('release notes: are the section of the version', () => {
    expect(releaseNotes(after, '0.1.0')).toBe('The first version.');
    expect(releaseNotes(after, '0.2.0')).toMatch(/^### New[^]*two lines\.$/);
    expect(() => releaseNotes(after, '0.3.0')).toThrow('no section for 0.3.0');
  });
});
