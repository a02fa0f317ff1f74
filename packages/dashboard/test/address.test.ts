import { detectorIds } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { incidentsOf, readBreakdown, writeBreakdown } from '../src/breakdown/search.ts';
import { csvColumns } from '../src/incidents/csv-columns.ts';
import {
  filterNames,
  isFiltered,
  listFilters,
  readIncidentSearch,
  toggle,
  writeIncidentSearch,
} from '../src/incidents/search.ts';
import { parseSearch, writeSearch } from '../src/lib/search.ts';
import { allTime, rangeLimits, readRange, type TimeRange, writeRange } from '../src/lib/time-range.ts';
import { toCsv } from '../src/list/csv.ts';
import { addTerms, readTerms, suggest } from '../src/list/search-terms.ts';
import { grafanaLink, grafanaTimes, recordLink } from '../src/page/record-links.ts';
import { readSessionSearch, writeSessionSearch } from '../src/sessions/search.ts';
import { NOW, row } from './rows.ts';

const filters = { shown: filterNames, allowed: listFilters };

const text = fc.string({ minLength: 1, maxLength: 20 }).filter((value) => value.trim() === value);

describe('URL search parameters', () => {
  it('round-trip through writing and parsing', () => {
    fc.assert(
      fc.property(fc.dictionary(text, fc.array(text, { minLength: 1, maxLength: 3 })), (search) => {
        const flat = Object.fromEntries(
          Object.entries(search).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
        );
        expect(parseSearch(writeSearch(flat))).toEqual(flat);
      }),
    );
  });

  // The router compares a URL with what it would write.
  it.each(['', '?agent=a', '?agent=a&agent=b', '?assignee=', '?assignee=&assignee=ada'])(
    'are written as they are read: %j',
    (written) => expect(writeSearch(parseSearch(written))).toBe(written),
  );

  it('hold every incident filter', () => {
    const search = fc.record({
      filter: fc.record(
        {
          detector: fc.subarray([...detectorIds], { minLength: 1 }),
          state: fc.subarray<'open' | 'resolved'>(['open', 'resolved'], { minLength: 1 }),
          agent: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
          tool: fc.uniqueArray(text, { minLength: 1, maxLength: 2 }),
          // Empty: unassigned.
          assignee: fc.uniqueArray(fc.oneof(fc.constant(''), text), { minLength: 1, maxLength: 2 }),
          q: text,
          open: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      range: fc.constantFrom<TimeRange>(
        allTime,
        { kind: 'last', span: '6h' },
        { kind: 'fixed', from: 1, to: 2 },
      ),
      sort: fc.constantFrom('-detectedAt', '-tokens'),
      grouped: fc.constant(false),
      peek: fc.option(text, { nil: undefined }),
    });
    fc.assert(
      fc.property(search, (given) => {
        const written = writeSearch({ ...writeIncidentSearch(given) });
        expect(readIncidentSearch(parseSearch(written))).toEqual({ ...given, ignored: [] });
      }),
    );
  });

  it('are reported and ignored if unknown or invalid', () => {
    const read = readIncidentSearch(
      parseSearch('?state=shut&detector=semantic&detector=loop&sort=up&range=2y&x=1&open=maybe'),
    );
    expect(read.filter).toEqual({ detector: ['semantic'] });
    expect(read.ignored).toEqual(['range=2y', 'detector=loop', 'state=shut', 'open=maybe', 'sort=up', 'x']);
    expect(readSessionSearch(parseSearch('?state=dead&incidents=some')).ignored).toEqual([
      'state=dead',
      'incidents=some',
    ]);
  });

  it('without a value are no session filter', () => {
    expect(readSessionSearch(parseSearch('?agent=&tag=&model=m')).filter).toEqual({ model: ['m'] });
  });

  it('hold every session filter', () => {
    const given = {
      filter: {
        q: 'a b',
        incidents: 'open' as const,
        state: ['live' as const],
        agent: ['x'],
        tool: ['ls', 'grep'],
      },
      range: { kind: 'last' as const, span: '1h' as const },
      sort: '-tokens',
      peek: 's-1',
    };
    const written = writeSearch({ ...writeSessionSearch(given) });
    expect(readSessionSearch(parseSearch(written))).toMatchObject({
      ...given,
      filter: { ...given.filter, state: ['live'], agent: ['x'], tool: ['ls', 'grep'] },
      ignored: [],
    });
  });

  it.each<[TimeRange, object]>([
    [allTime, {}],
    [{ kind: 'last', span: '1h' }, { from: NOW - 3_600_000 }],
    [
      { kind: 'fixed', from: 5, to: 9 },
      { from: 5, to: 9 },
    ],
  ])('hold the time range %j', (range, limits) => {
    expect(rangeLimits(range, NOW)).toEqual(limits);
    const written = parseSearch(writeSearch(writeRange(range, allTime)));
    expect(readRange(written, allTime)).toEqual({ range, ignored: [] });
  });

  it('toggle adds and removes a filter value', () => {
    const on = toggle({ state: ['open'] }, 'detector', 'semantic');
    expect(on).toEqual({ state: ['open'], detector: ['semantic'] });
    expect(toggle(on, 'detector', 'semantic')).toEqual({ state: ['open'] });
    expect(isFiltered({ filter: {}, range: allTime })).toBe(false);
  });
});

describe('search box text', () => {
  it.each([
    ['cart broken', { text: 'cart broken', terms: [], wrong: [], misspelled: [] }],
    [
      'agent:ci-fixer cart',
      { text: 'cart', terms: [{ name: 'agent', value: 'ci-fixer' }], wrong: [], misspelled: [] },
    ],
    [
      'tool:"read file"',
      { text: '', terms: [{ name: 'tool', value: 'read file' }], wrong: [], misspelled: [] },
    ],
    [
      'agent:"say ""hi""" x',
      { text: 'x', terms: [{ name: 'agent', value: 'say "hi"' }], wrong: [], misspelled: [] },
    ],
    ['detector:loop x', { text: 'x', terms: [], wrong: ['detector:loop'], misspelled: [] }],
    ['http://a.b', { text: 'http://a.b', terms: [], wrong: [], misspelled: [] }],
    ['session:', { text: 'session:', terms: [], wrong: [], misspelled: [] }],
    [
      'agnet:ci-fixer Error:5 x',
      {
        text: 'agnet:ci-fixer Error:5 x',
        terms: [],
        wrong: [],
        misspelled: [{ word: 'agnet:', meant: 'agent:' }],
      },
    ],
  ])('is parsed: %s', (typed, terms) => {
    expect(readTerms(filters, typed)).toEqual(terms);
  });

  it('adds terms to the filter and replaces the query', () => {
    expect(addTerms({ q: 'old', agent: ['a'] }, readTerms(filters, 'agent:b new'))).toEqual({
      q: 'new',
      agent: ['a', 'b'],
    });
    expect(addTerms({ q: 'old' }, readTerms(filters, ''))).toEqual({});
  });

  it('leads to suggestions of names, then of values', () => {
    const values = () => ['ci-fixer', 'two words'];
    expect(suggest(filters, 'x de', values)).toEqual([
      { insert: 'detector:', text: 'detector:', whole: false },
    ]);
    expect(suggest(filters, 'agent:', values).map(({ insert }) => insert)).toEqual([
      'agent:ci-fixer',
      'agent:"two words"',
    ]);
    expect(suggest(filters, 'state:r', values)).toEqual([
      { insert: 'state:resolved', text: 'resolved', whole: true },
    ]);
    expect(suggest(filters, 'x agent:"two w', values).map(({ text }) => text)).toEqual(['two words']);
  });

  it.each(['plain', 'two words', 'say "hi"', '"quoted"', 'a"b', '"', 'a, b', 'back\\slash "x"', '$& x'])(
    'finds the value of its own suggestion: %s',
    (value) => {
      const [suggestion] = suggest(filters, 'agent:', () => [value]);
      expect(readTerms(filters, suggestion?.insert ?? '').terms).toEqual([{ name: 'agent', value }]);
    },
  );
});

describe('CSV export', () => {
  it('quotes special characters, and escapes spreadsheet formulas', () => {
    const [head, first] = toCsv(csvColumns, [row({ reason: 'says "a, b"\nagain', agent: '=1+1' })]).split(
      '\r\n',
    );
    expect(head).toMatch(/^id,detected_at,detector/);
    expect(first).toContain('"says ""a, b""\nagain"');
    expect(first).toContain(",'=1+1,");
  });

  it('has the waste of each loop apart from its cost, so that it adds up, and none of a limit', () => {
    const wasted = { calls: 3, tokens: 10, usd: 0.25 };
    const { wasted: _, ...limit } = row({ kind: 'limit' });
    const [head = '', ...lines] = toCsv(csvColumns, [row({ wasted, reason: '' }), { ...limit, reason: '' }])
      .split('\r\n')
      .slice(0, 3);
    const at = head.split(',').indexOf('wasted_calls') - head.split(',').length;
    expect(lines.map((line) => line.split(',').slice(at, at + 3))).toEqual([
      ['3', '10', '0.25'],
      ['', '', ''],
    ]);
  });
});

describe('external links', () => {
  const links = {
    grafana: 'https://grafana.example/d/loops?orgId=1',
    kafka: 'http://ui/topics/{topic}?seekTo={partition}::{offset}',
  };
  const position = { topic: 'a b', partition: 3, offset: '88120' };

  it.each<[TimeRange, string]>([
    [{ kind: 'last', span: '6h' }, 'from=now-6h&to=now'],
    [{ kind: 'fixed', from: 1, to: 2 }, 'from=1&to=2'],
    [allTime, 'from=now-90d&to=now'],
  ])('pass the time range of the page to Grafana', (range, times) => {
    expect(grafanaLink(links, grafanaTimes(range))).toBe(`${links.grafana}&${times}`);
  });

  it('point to the Kafka record, and are undefined without a configured address', () => {
    expect(recordLink(links, position)).toBe('http://ui/topics/a%20b?seekTo=3::88120');
    expect(recordLink({ ...links, kafka: null }, position)).toBeUndefined();
    expect(grafanaLink({ ...links, grafana: null }, { from: 1, to: 2 })).toBeUndefined();
  });
});

describe('the URL of the breakdown', () => {
  it('holds dimension, sort order and time range, and omits defaults', () => {
    const view = { groupBy: 'tag:env', range: { kind: 'last', span: '24h' }, sort: '-increase' } as const;
    expect(writeBreakdown(view)).toMatchObject({ by: 'tag:env', range: '24h', sort: '-increase' });
    expect(readBreakdown(writeBreakdown(view))).toEqual({ ...view, ignored: [] });
    expect(writeSearch(writeBreakdown(readBreakdown({})))).toBe('');
  });

  it('reports invalid parameters, and falls back to the defaults', () => {
    const { ignored, ...view } = readBreakdown({ by: 'color', sort: 'blue', range: 'all' });
    expect(view).toMatchObject({ groupBy: 'agent', sort: '-usd', range: { span: '7d' } });
    expect(ignored).toEqual(['range=all', 'by=color', 'sort=blue']);
  });

  it('links a group to its incidents in the same time range', () => {
    const view = { groupBy: 'tag:env', range: { kind: 'last', span: '7d' }, sort: '-usd' } as const;
    const search = incidentsOf(view, 'eu:prod');
    expect(readIncidentSearch(search)).toMatchObject({
      filter: { tag: ['env:eu:prod'] },
      range: view.range,
      ignored: [],
    });
  });
});
