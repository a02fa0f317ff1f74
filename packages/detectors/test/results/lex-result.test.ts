import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lexResult } from '../../src/results/lex-result.ts';

const lex = (text: string, isError = false) => lexResult(text, { isError });

describe('known volatile tokens', () => {
  it.each([
    ['a time within a log line', '[2026-03-04T10:11:12.345+01:00] up', '[2026-03-05T23:59:59Z] up'],
    ['a time with slashes', '2026/03/04 10:11:12 up', '2026/03/05 01:02:03 up'],
    ['a compact time', 'X-Amz-Date=20261128T140312Z up', 'X-Amz-Date=20261128T151203Z up'],
    ['minutes and seconds', 'finished in 2m 12.5s', 'finished in 1m 59s'],
    ['a duration by its suffix', '{"durationSeconds":7.993}', '{"durationSeconds":6.941}'],
    ['a duration with underscores', 'wall_time_seconds=0.714', 'wall_time_seconds=2.014'],
    ['a total', '{"totalDurationMs": 23884}', '{"totalDurationMs": 22718}'],
    ['a time by its suffix', '{"createdAt":812.5}', '{"createdAt":913.25}'],
    ['a call’s id', '{"tool_use_id":"srvtoolu_01ab9"}', '{"tool_use_id":"srvtoolu_77xk2"}'],
    ['a span in escaped JSON', '{\\n\\"spanId\\":\\"81afc3\\"}', '{\\n\\"spanId\\":\\"99bc01\\"}'],
    ['a Ray ID', 'blocked, Ray ID: 12616d80fb79b5cf', 'blocked, Ray ID: 8c053fc289fc2a81'],
    ['a request id with a prefix', 'failed (req_9xk2m1)', 'failed (req_7ab3cd)'],
    ['a thread', '[Thread-12] up', '[Thread-3] up'],
    ['a thread of a web server', '[nio-8080-exec-7] up', '[nio-8080-exec-2] up'],
    ['a process in a line of syslog', 'Nov 28 10:00:14 db sshd[4711]: up', 'Nov 28 23:10:01 db sshd[99]: up'],
    [
      'the process in a line of Spring Boot',
      '2026-11-30T08:10:20.125Z ERROR 4711 --- [main] o.s.Runner : failed',
      '2026-11-30T08:12:41.002Z ERROR 8123 --- [main] o.s.Runner : failed',
    ],
    ['seconds with decimals', '%3|1793000012.125|FAIL|up', '%3|1793000040.07|FAIL|up'],
    [
      'a process in a dated line',
      '2026-11-28T10:00:01.1Z ERROR job[2000] a',
      '2026-11-29T11:20:31.9Z ERROR job[31] a',
    ],
    [
      'the elements of a page',
      '- textbox "E-mail" [ref=s1e8]\n- button "Go" [ref=s1e14]',
      '- textbox "E-mail" [ref=s2e8]\n- button "Go" [ref=s2e14]',
    ],
    [
      'the elements of a page by a uid',
      'uid=1_0 RootWebArea "Sign in"\n  uid=1_4 button "Go"',
      'uid=2_0 RootWebArea "Sign in"\n  uid=2_4 button "Go"',
    ],
    [
      'the elements of a page by a number',
      "[1] RootWebArea 'Sign in'\n\t[14] button 'Go'",
      "[71] RootWebArea 'Sign in'\n\t[88] button 'Go'",
    ],
    ['a file of a compiler', '/tmp/ccQ8F3Ab.o: no symbol', '/tmp/ccXyZa1b.o: no symbol'],
    ['a folder of pytest', '/tmp/pytest-of-me/pytest-12/a', '/tmp/pytest-of-me/pytest-13/a'],
    ['a folder of mktemp', 'cd /tmp/tmp.Ab3dE9xQ2z/out', 'cd /tmp/tmp.zQ1xY8bN4k/out'],
    ['a duration after the name of a field', '# duration_ms 61.268', '# duration_ms 7.1'],
    ['tokens that were used', 'no log was found (34s, 6616 tokens)', 'no log was found (9s, 12,480 tokens)'],
    ['an age in the last column', 'NAME   AGE\nweb-1  58s', 'NAME   AGE\nweb-1  5m'],
    ['restarts and their age', 'web-1  0/1  Error  3 (12s ago)  5m', 'web-1  0/1  Error  14 (2m ago)  3h2m'],
    ['a numbered file in a temporary folder', '/var/folders/x1/T/p9932.html', '/var/folders/x1/T/p4224.html'],
    ['a group of processes', 'Process Group PGID: 4117', 'Process Group PGID: 99213'],
    [
      'a request in parts',
      '{"x-github-request-id":"C2A0:1F3B:9D8E"}',
      '{"x-github-request-id":"B7F1:22AC:10EF.4"}',
    ],
    ['a request in one word', '{"x-arequestid":"81afc3"}', '{"x-arequestid":"99bc01"}'],
    ['a short name for a request', '{"found":false,"rid":"81afc3"}', '{"found":false,"rid":"99bc01"}'],
    [
      'an incident on a page of failure',
      'Something went wrong. Please quote incident O6HON45YLG.',
      'Something went wrong. Please quote incident JX3Q47SELF.',
    ],
    [
      'a number for those who help',
      'The URL was rejected. Your support ID is: 5951293959752539986',
      'The URL was rejected. Your support ID is: 4124947572312615178',
    ],
    [
      'a number for those who help, in German',
      'Leider ist ein Fehler aufgetreten. Die Vorgangsnummer lautet 8617216.',
      'Leider ist ein Fehler aufgetreten. Die Vorgangsnummer lautet 3384374.',
    ],
    [
      'what stands between the parts of a mail',
      'boundary="----=_Part_31_19.11"\n\n------=_Part_31_19.11\nSee you.',
      'boundary="----=_Part_42_27.15"\n\n------=_Part_42_27.15\nSee you.',
    ],
    ['a duration of BuildKit', 'a\n#8 4.123 > tsc', 'a\n#8 14.9 > tsc'],
    ['the durations of a shell', 'real 1.23\nuser 0.12', 'real 0.98\nuser 0.31'],
    ['the timer of SQLite', 'Run Time: real 0.001 user 0.000112', 'Run Time: real 0.012 user 0.000098'],
    ['a span of durations', '(actual time=0.012..0.034 rows=1)', '(actual time=0.009..1.2 rows=1)'],
    ['the clock of a phone', 'Status bar: 12:05, Send', 'Status bar: 9:41, Send'],
    [
      'the clock of Android',
      '<node text="12:05" resource-id="com.android.systemui:id/clock"/>',
      '<node text="12:06" resource-id="com.android.systemui:id/clock"/>',
    ],
    [
      'the clock of Android behind its id',
      '<node resource-id="com.android.systemui:id/clock" text="12:05"/>',
      '<node resource-id="com.android.systemui:id/clock" text="12:06"/>',
    ],
    [
      'a time in Japanese',
      '照会：2026年11月30日 14時10分23秒、保留',
      '照会：2026年12月1日 9時02分05秒、保留',
    ],
    ['a time in Korean', '2026년 11월 30일 오후 2시 10분 기준', '2026년 12월 1일 오전 9시 05분 기준'],
    ['a duration in German', 'vor 3 Sekunden abgerufen', 'vor 2 Minuten abgerufen'],
    ['a duration in Spanish', 'hace 5 segundos', 'hace 1 minuto'],
    ['a number of tries in German', 'Versuch 3 von 50', 'Versuch 4 von 50'],
    ['a duration in Chinese', '用时 3.2秒', '用时 12秒'],
    [
      'a code for those who help, in German',
      'Zugriff verweigert. Support-Code: 7KQ2XJ9A',
      'Zugriff verweigert. Support-Code: Z81MMP4Q',
    ],
    ['the job of a shell', '[1] 4711', '[1] 52113'],
    ['a token in a link', 'a.eu/?sig=aB3dEfGhIjKlMnOpQrStUv9x', 'a.eu/?sig=zY8xWvUtSrQpOnMlKjIhGf1e'],
  ])('include %s', (_, one, other) => {
    expect(lex(one).normal).toBe(lex(other).normal);
  });

  it.each([
    ['a limit', '{"timeoutMs": 3000}', '{"timeoutMs": 9000}'],
    ['a number in words', 'at 12 of 40', 'at 13 of 40'],
    ['a number that a time follows', 'seats  7 (2 left)', 'seats  8 (2 left)'],
    ['a length within a line', 'a wall of 5m in blue', 'a wall of 7m in blue'],
    [
      'an alarm',
      '<node text="07:30" id="deskclock:id/alarm"/>',
      '<node text="07:31" id="deskclock:id/alarm"/>',
    ],
    ['a number before a word like a unit of time', '3 secondary nodes', '4 secondary nodes'],
    ['a decimal number', 'weighs 4.123 kg', 'weighs 4.124 kg'],
    ['a span', 'between 0.5..0.7', 'between 0.5..0.9'],
    ['a version', 'node v20.11.0', 'node v20.12.1'],
    ['an order', '{"order_id":"A-1182"}', '{"order_id":"A-1183"}'],
    ['a hash', 'commit 3fa2b1c', 'commit 9d8e7f6'],
    ['an error code', 'TS2304', 'TS2305'],
    ['an index in a line with a time', '10:00:01 checks rows[1231]: no', '10:00:01 checks rows[1232]: no'],
    [
      'an index in words',
      '2026-11-28T10:00:01Z it checks rows[12]',
      '2026-11-28T10:00:01Z it checks rows[13]',
    ],
    [
      'the reference of a booking',
      'Your table is booked, sorry for the wait. Your reference is K3P483920',
      'Your table is booked, sorry for the wait. Your reference is K3P483921',
    ],
    ['an incident that a text is about', 'incident 8617216 is open', 'incident 8617217 is open'],
    ['a case that failed', 'error in case number 12', 'error in case number 13'],
    ['a date without a time', 'due 2026-03-04', 'due 2026-03-05'],
    ['a number between signs of Japanese', '第3章を読む', '第4章を読む'],
    ['a time of day in Japanese', '発車 14時10分', '発車 15時20分'],
    ['the one element that was meant', 'clicked [ref=e5]', 'clicked [ref=e6]'],
    ['a user of the system', 'uid=1000(ann) gid=1000(ann)', 'uid=1001(ben) gid=1001(ben)'],
  ])('do not include %s', (_, one, other) => {
    expect(lex(one).normal).not.toBe(lex(other).normal);
  });
});

describe('tokens that look random', () => {
  it.each([
    ['hex', 'stash 05af49e kept', ['05af49e']],
    ['a digest', 'sha256:9f86d081884c7d659a2feaa0c55ad015', ['9f86d081884c7d659a2feaa0c55ad015']],
    ['a ULID', 'event 01HZX3K9QW7V2M4N8P6R5T1Y0B', ['01HZX3K9QW7V2M4N8P6R5T1Y0B']],
    ['base64 with signs', 'nonce "A/BdJZQsAB/lCmLybiSItGMY=="', ['A/BdJZQsAB/lCmLybiSItGMY==']],
    ['letters and digits', 'pod x2k4p', ['x2k4p']],
    ['what follows a prefix', 'msg_01bcdb100f4a9cd76bf2a76e', ['01bcdb100f4a9cd76bf2a76e']],
    [
      'a token in the head of a page',
      '<head><meta name="csrf-token" content="aB3dEfGhIjKlMnOpQrSt"></head>',
      ['aB3dEfGhIjKlMnOpQrSt'],
    ],
    ['the suffix of a tag', '<out_e1b8d3687149>a</out_e1b8d3687149>', ['e1b8d3687149', 'e1b8d3687149']],
    ['the value of an attribute', 'button [ref=e12]', ['e12']],
    ['a field with an id', '{"eventId": 81772}', ['81772']],
    ['a number behind a name', 'see job48211', ['job48211']],
    ['a reference', 'invalid, reference K3P-483920', ['K3P-483920']],
    ['a counter in the last line', 'ok\n[command 12 finished, exit code 0]', ['12']],
    ['the steps of an environment', 'Step 21/100\nReward: 0', ['21']],
    ['the moves of a game', '[Score: 0  Moves: 17]', ['17']],
    ['the steps in a record', '{"observation":"a wall","step":21}', ['21']],
    ['the number of a picture', 'saved as shots/step12.png', ['12']],
    ['a size', 'used 412.5 MB of memory', ['412.5 MB']],
    ['the size of what is left out', '... [4,017 characters truncated] ...', ['17']],
    ['the lines that are left out', '(41 more lines omitted)', ['41']],
    ['a long number', 'UNTRUSTED(34146516926794693): closed', ['34146516926794693']],
    ['a port', 'served from 10.1.2.3:42400', ['42400']],
    ['the host that answered', 'Served by web17.example.org', ['web17']],
    ['a clock to the minute', 'As of 15:40 the lobby is closed', ['15:40']],
    ['a clock of twelve hours', 'As of 3:40 PM the lobby is closed', ['3:40 PM']],
    ['a date in words', 'On Sunday, 29 November the lobby is closed', ['Sunday, 29 November']],
    ['a clock of French', 'à 14 h 10 le guichet est fermé', ['14 h 10']],
    ['an id between signs of Chinese', '请求9f86d081884c失败', ['9f86d081884c']],
    ['a short date', 'On Nov 29 the lobby is closed', ['Nov 29']],
  ])('include %s', (_, text, values) => {
    expect(lex(text).holes?.map(({ value }) => value)).toEqual(values);
  });

  it.each([
    'a plain sentence with words',
    'src/calls/lex-result.ts and getJobStatus()',
    'TS2304 in x86_64, sha256, utf8, page2, ec2',
    'facade decade added',
    'price 41.805',
    '48211 rows',
    '48211770000 bytes',
    'src/a.ts:42400',
    'hosted by web17.example.org',
    'qps 1037',
    'page [3 of 9]',
    'Step 3 of 9 is done',
    '{"step":3,"title":"Address"}',
    '[exit code 1]',
    '[41%]',
    'a text of 4017 characters',
    '12 lines changed',
    'a.ts:15:40 is unused',
    'at [15:40] in the file',
    'a ratio of 15:40:20:5',
    '問題3：大阪の人口は400万人を超えますか。',
    'The man may stay',
  ])('do not include %j', (text) => {
    expect(lex(text).holes).toEqual([]);
  });

  it('include long numbers in an error only', () => {
    expect(lex('job 48211 failed', true).holes).toEqual([{ kind: 'number', value: '48211' }]);
    expect(lex('job 48211 failed').holes).toEqual([]);
  });

  it.each([
    'your password: x9Kq2mTz',
    'Next job is 4560d98ab422',
    '{"next_page_token":"9xK2mTz81"}',
    '{"nextCursor":"9xK2mTz81"}',
    'commit 3fa2b1c',
    'ticket 9xk2m1 was drawn',
    'The train leaves at 15:40',
    'due on Nov 29',
    'Job 4560d98ab422 was submitted, and you will be notified when it has finished',
    'Job 4560d98ab422: the next task in this list is to resize all of the pictures',
    '{"job_id":"4560d98ab422","status":"queued"}',
  ])('may be what was asked for: %j', (text) => {
    expect(lex(text).holes?.map(({ kind }) => kind)).toEqual(['news']);
  });

  it.each([
    'Job 4560d98ab422: the import fails because the file has no header row at all',
    '{"answer":"the import fails because the file has no header row at all","job_id":"4560d98ab422"}',
  ])('are none of it where they name the job that found an answer: %j', (text) => {
    expect(lex(text).holes?.map(({ kind }) => kind)).toEqual(['id']);
  });

  it('close a frame that they opened, whatever it contains', () => {
    const text = '<result-81tyfa5e2c>No invoice with that number.</result-81tyfa5e2c>';
    expect(lex(text).holes?.map(({ kind }) => kind)).toEqual(['id', 'id']);
  });

  it('are not listed if there are many: then they are the content', () => {
    const rows = Array.from({ length: 40 }, (_, i) => `row ${(0xabc123 + i * 7919).toString(16)}0`);
    expect(lex(rows.join('\n')).holes).toBeNull();
  });
});

const hex = fc.stringMatching(/^[0-9a-f]{12}$/).filter((id) => /\d/.test(id) && /[a-f]/.test(id));
const words = fc.array(fc.constantFrom('the', 'build', 'failed', 'and', 'kept', 'its', 'state'), {
  minLength: 1,
});

it('a text differs in bulk only if its words do', () => {
  fc.assert(
    fc.property(words, hex, hex, fc.constantFrom(' ', '\n', '\t\t', '\r\n'), (text, one, other, space) => {
      const sentence = text.join(' ');
      const bulk = lex(`${sentence} (${one}) ${sentence}`).bulk;
      expect(lex(`${text.join(space)} (${other})${space}${sentence}`).bulk).toBe(bulk);
      expect(lex(`${sentence} more (${other}) ${sentence}`).bulk).not.toBe(bulk);
    }),
  );
});

it('the length of a text decides the time it takes', { timeout: 10_000 }, () => {
  const pieces = [
    'a1'.repeat(30_000),
    '/a1'.repeat(20_000),
    '-1'.repeat(30_000),
    '1:'.repeat(30_000),
    '<1'.repeat(30_000),
    `${'a1'.repeat(20)} `.repeat(1600),
    'boundary=a1b2c3d4 '.repeat(3300),
    'step 1 reward '.repeat(4000),
    'systemui 1:23 '.repeat(4000),
  ];
  const started = performance.now();
  for (const piece of pieces) lex(piece, true);
  expect(performance.now() - started).toBeLessThan(5000);
});
