import { describe, expect, it } from 'vitest';
import { type ShortStep, said, times, turns } from '../steps.ts';

/** Whether three times the same is waited for, with a patience that ends. */
function isWaitedFor(
  ...step: readonly [name: string, result: unknown, args?: Record<string, unknown>]
): boolean {
  const patient = said(turns(...times(8, step))).length === 0;
  if (patient) expect(said(turns(...times(12, step)))[0]).toMatch(/^tool-repeat opened chance (9|12)$/);
  return patient;
}

describe('polling is recognized by', () => {
  it.each<[string, string, unknown, Record<string, unknown>?]>([
    ['a tool with a polling name', 'get_job_status', 'nothing to tell of it so far'],
    [
      'a command that sleeps first',
      'bash',
      'exit 7: connection refused',
      { command: 'sleep 5 && curl -s x' },
    ],
    [
      'a sleep in a loop',
      'bash',
      'no such container here',
      { command: 'for i in 1 2; do sleep 2; done; docker ps' },
    ],
    [
      'a sleep in a command given as a list',
      'exec',
      'no log was found yet',
      { command: ['bash', '-lc', 'sleep 9; cat log'] },
    ],
    ...[
      'pg_isready -h db',
      'nc -z localhost 8080 || echo down',
      'curl -sI localhost:3000 | head -1',
      'curl -s ci.example/build/12',
      'vagrant status',
      'rails db:migrate status',
      'vercel inspect web-1',
      'adb shell getprop sys.boot_completed',
      'curl -sI https://a.example',
      'curl https://a.example/healthz',
      'curl https://a.example/api?jobId=7',
      'aws s3 ls s3://exports/2026/',
      'dig +short a.example',
      'openstack server show vm1 -c status -f value',
      'nc -zv db 5432',
      'ssh -o ConnectTimeout=5 root@vm1 true',
    ].map((command): [string, string, unknown, Record<string, unknown>] => [
      command,
      'bash',
      'there is no answer from it so far',
      { command },
    ]),
    ['a tool that tells how far it is', 'restore_progress', 'restore 4: as far as the tables'],
    ['a JSON status', 'get_job', { id: 7, state: 'running', host: 'a.example' }],
    ['a JSON status inside JSON text', 'get_job', '{"text":"{\\"status\\": \\"in_progress\\"}"}'],
    ['a status in a tag', 'output', '<status>running</status> <output></output>'],
    ['a synonym for running', 'get_video', { id: 'v', status: 'rendering', url: null }],
    ['a status in capitals', 'describe', { name: 'web', stackStatus: 'CREATE_IN_PROGRESS' }],
    ['a pending row of a table', 'checks', 'build\tpending\t0\nlint\tpass\t12 files'],
    ['an invitation to check back later', 'agent_output', 'Agent a1 has no answer. Check back later.'],
    ['a bare status', 'get_job', 'Pending'],
    ['a status with its name', 'bash', 'Build 8: running', { command: 'bk build view 8' }],
    ['an inbox', 'check_inbox', '0 messages', { from: 'bank' }],
    ['an inbox that an argument names', 'list_messages', { messages: [] }, { folder: 'Inbox' }],
    ['mail that is unread', 'search_mail', { messages: [] }, { query: 'is:unread from:bank' }],
    [
      'a thread that nobody has answered',
      'get_thread_replies',
      { messages: [{ text: 'May I deploy 4.2?' }] },
    ],
    ['a status with dots', 'show', 'Title: Report. Loading...'],
    ['a status in a sentence', 'get_job', 'The build is still running on host a.'],
    ...[
      'Votre commande est en cours de traitement.',
      'Estado: pendiente',
      'Der Auftrag ist noch in Bearbeitung.',
      '订单处理中',
      '注文は処理中です',
      'Заказ в обработке',
      'Der Auftrag wird gerade bearbeitet',
      'El pedido se está procesando',
      'El expediente sigue en revisión',
      'Le colis n’est pas encore parti',
    ].map((text): [string, string, unknown] => [text, 'get_order', text]),
    ['work that still goes on', 'get_import', 'The import is still validating the rows of it.'],
    ['what is not decided yet', 'get_flight', { flight: 'LX 14', gate: 'not yet assigned' }],
    ['a result that is not ready yet', 'get_job', 'The export is not yet ready, ask again.'],
    [
      'a table of pods',
      'bash',
      'NAME READY STATUS web-1 0/1 ContainerCreating',
      { command: 'kubectl get pods' },
    ],
    [
      'a state of what is not there yet',
      'bash',
      'Error from server (NotFound): pods "web-1" not found',
      { command: 'kubectl get pod web-1' },
    ],
    ['a terminal that prints nothing more', 'get_terminal_output', '#9 [5/7] RUN make -j2', { id: 3 }],
    ['a process', 'check_process', 'Process 4411 is alive', { pid: 4411 }],
    ['work at the beginning of a sentence', 'get_upload', 'Uploading to the store …'],
    ['a field that says what goes on', 'get_index', { name: 'docs', indexing: true, documents: 1200 }],
    ['a field that says what is not done', 'get_scan', { id: 's4', isComplete: false, findings: [] }],
    ['what is being done', 'get_order', 'Order 7: being prepared in the kitchen'],
    ['a tool that draws lots', 'roll_dice', 'The die shows a four.', { sides: 6 }],
    ['a tool named after chance', 'getRandomNumber', 'It is seven this time.'],
    ['an omitted image', 'computer', '[image]', { action: 'key', text: 'Page_Down' }],
  ])('%s', (_, name, result, args) => expect(isWaitedFor(name, result, args)).toBe(true));

  it.each<[string, string, unknown, Record<string, unknown>?]>([
    ['a failure that mentions something running', 'start', 'Error: the server is running already'],
    [
      'a long text that mentions a running status',
      'read',
      `status: running. ${'Lorem ipsum dolor sit amet. '.repeat(12)}`,
    ],
    ['what is not built yet', 'get_report', 'Reports by region are not yet implemented here.'],
    ['a failing status', 'get_job', { id: 7, state: 'failing', host: 'a.example' }],
    ['a word that only ends in “ing”', 'look', 'Nothing'],
    ['the plan of the agent', 'read_todos', '1. [pending] write tests\n2. [completed] fix tax'],
    ['a finished status', 'get_job', { id: 7, state: 'done', rows: 91 }],
    [
      'a file whose name starts with sleep',
      'bash',
      'sleeper.ts: 3 lines',
      { command: 'wc -l sleep.ts sleeper.ts' },
    ],
    ['a search for the text “sleep 5”', 'bash', 'no match in that file', { command: 'grep "sleep 5" a.sh' }],
    [
      'a state that the agent may not ask for',
      'bash',
      'Error from server (Forbidden): pods is forbidden: User "ci" cannot list resource "pods"',
      { command: 'kubectl get pods' },
    ],
    ...[
      'curl -si https://a.example/orders',
      'curl https://a.example/shipping',
      'curl https://a.example/deliveries',
      'curl -X POST https://a.example/runs',
    ].map((command): [string, string, unknown, Record<string, unknown>] => [
      command,
      'bash',
      'HTTP/1.1 200, 5 rows',
      { command },
    ]),
    ['a receipt of what is queued', 'send_sms', 'queued for the network of Ada', { to: 'Ada' }],
    ['a list that is shown', 'get_rows', 'Showing rows 1 to 10 of 40, without a filter'],
    ['a message that is sent', 'send_sms', 'It was handed over to the network', { to: 'Ada' }],
    ['a form that is not finished', 'finish', 'Not finished: the summary is missing', { text: 'done' }],
    ['a file named after a state', 'bash', 'all of it is in order', { command: 'cat status.txt' }],
    ['the state of a work tree', 'bash', 'M src/tax.ts, and no more', { command: 'git status' }],
    ['a line with a title', 'look', 'Weather: the wind is blowing'],
    ['a tool that undoes something', 'roll_back', 'Nothing is left to undo here', { to: 3 }],
    ['the description of an image', 'look', 'image of a red mug on a table'],
  ])('but not by %s', (_, name, result, args) => expect(isWaitedFor(name, result, args)).toBe(false));

  it('a contract, which overrides the result', () => {
    const step = ['get_job', { state: 'running' }] as const;
    expect(said(turns(...times(3, step)), { per_tool: { get_job: { poller: false } } })).toEqual([
      'tool-repeat opened chance 3',
    ]);
  });
});

describe('at long intervals', () => {
  const every = (seconds: number, count: number, ...steps: readonly ShortStep[]) =>
    turns(...times(count, ...steps)).map((event, i) => ({
      ...event,
      time: 1_760_000_000_000 + (i * seconds * 1000) / 3,
    }));
  const look: ShortStep = ['get_job', { id: 7, state: 'running' }];

  it('polls have more patience', () => {
    expect(said(every(25, 26, look))).toEqual([]);
    expect(said(every(25, 27, look))).toEqual(['tool-repeat opened chance 27']);
    expect(said(every(24, 9, look))).toEqual(['tool-repeat opened chance 9']);
  });

  it('polls in a cycle have it too', () => {
    const list: ShortStep = ['list_exports', 'one file so far, which is no archive'];
    expect(said(every(25, 20, list, ['wait', 'waited for a while']))).toEqual([]);
    expect(said(every(10, 9, list, ['wait', 'waited for a while']))).toEqual([
      'tool-cycle opened chance 9 period 2',
    ]);
  });

  it.each<[string, number, ShortStep, number]>([
    ['a mailbox', 600, ['read_inbox', 'No letter from Ada so far; the latest is from Monday.'], 27],
    ['a sheet', 120, ['get_rows', 'Row 7: open, without an answer'], 27],
    ['an address', 120, ['bash', '{"phase":"paused"}', { command: 'curl -s https://a.example/7' }], 27],
    [
      'a file to come',
      120,
      ['bash', 'ls: done.flag: No such file or directory', { command: 'ls done.flag' }],
      27,
    ],
    ['a file that is there', 120, ['bash', '12 rows, no header', { command: 'cat rows.csv' }], 3],
    ['a sheet, more often', 119, ['get_rows', 'Row 7: open, without an answer'], 3],
    ['a look that fails', 600, ['read_inbox', 'Error: the password is wrong'], 3],
    ['a command, which may take long', 600, ['bash', '12 tests passed', { command: 'npm test' }], 3],
    ['a change', 600, ['update_row', 'Row 7 was updated: it is open, as before.'], 4],
  ])('%s, looked at every %i s', (_, seconds, step, count) => {
    expect(said(every(seconds, count - 1, step))).toEqual([]);
    expect(said(every(seconds, count, step))).toEqual([`tool-repeat opened chance ${String(count)}`]);
  });
});

describe('waiting between other steps', () => {
  const refused: ShortStep = ['fetch', 'Error: connection refused by localhost'];
  const sleep: ShortStep = ['sleep', 'slept for five seconds', { seconds: 5 }];

  it('triples the threshold of a cycle', () => {
    const round: ShortStep[] = [sleep, ['get_mail', 'the inbox holds no letters']];
    expect(said(turns(...times(8, ...round)))).toEqual([]);
    expect(said(turns(...times(9, ...round)))).toEqual(['tool-cycle opened chance 9 period 2']);
  });

  it('does not raise it if what should bring about the state fails each time', () => {
    const restart: ShortStep = ['bash', 'Error: unit api is masked', { command: 'systemctl restart api' }];
    const state: ShortStep = ['bash', 'inactive (dead)', { command: 'systemctl status api' }];
    expect(said(turns(...times(3, restart, state)))).toEqual(['tool-cycle opened chance 3 period 2']);
    const start: ShortStep = ['service_start', 'Error: port 8080 is in use', { name: 'api' }];
    const status: ShortStep = ['service_status', { status: 'stopped' }, { name: 'api' }];
    expect(said(turns(...times(3, start, status)))).toEqual(['tool-cycle opened chance 3 period 2']);
    const query: ShortStep = ['bash', 'Error: the server is starting up', { command: 'psql -c "select 1"' }];
    expect(said(turns(...times(8, query, sleep)))).toEqual([]);
  });

  it('may resolve a failure, just as a change may', () => {
    const off = { tool_cycle: { enabled: false } };
    expect(said(turns(...times(6, refused, sleep)), off)).toEqual([]);
    expect(said(turns(...times(4, refused, ['look', 'nothing to see in here'])), off)).not.toEqual([]);
  });

  it('with increasing delays is not the same error under varying arguments', () => {
    const waits = [1, 2, 4, 8, 16, 32].map(
      (n): ShortStep => ['bash', 'Error: connection refused', { command: `sleep ${String(n)}; curl x` }],
    );
    expect(said(turns(...waits))).toEqual([]);
  });
});
