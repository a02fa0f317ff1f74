import { describe, expect, it } from 'vitest';
import { calls, metric, records, startWorker } from '../fakes.ts';

const warnings = (lines: readonly { level: string; msg: string }[]) =>
  lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);

describe('dead letter log', () => {
  it('dead letter log: the first of each reason at once, the others summed up each minute', async () => {
    const { worker, log, lines, clock } = await startWorker();
    await log.deliver(records(0, [...Array<string>(1_201).fill('no json'), '[]', '[]', '[]']));
    expect(warnings(lines)).toEqual([
      expect.stringMatching(/^Record test\.events\/0@0 rejected as a dead letter \(not_json\): /),
      expect.stringMatching(/^Record test\.events\/0@1201 rejected as a dead letter \(not_an_object\): /),
    ]);
    clock.now += 60_000;
    await worker.updatePositions();
    expect(warnings(lines).at(-1)).toBe(
      '1,202 more dead letters in the last 60 s: not_json 1,200, not_an_object 2',
    );
    await log.deliver(records(1_204, ['no json', 'no json']));
    await worker.stop();
    expect(warnings(lines).slice(3)).toEqual([
      expect.stringMatching(/^Record test\.events\/0@1204 rejected as a dead letter/),
      '1 more dead letter in the last 1 s: not_json 1',
    ]);
  });

  it('dead letter log: no summary without further dead letters', async () => {
    const { worker, log, lines, clock } = await startWorker();
    await log.deliver(records(0, ['no json']));
    clock.now += 60_000;
    await worker.updatePositions();
    expect(warnings(lines)).toHaveLength(1);
  });
});

describe('batch counters', () => {
  it('batch counters: a batch counts once, however often its commit failed or it was replayed', async () => {
    const { log, registry, lines } = await startWorker({ preset: 'stream' });
    const twice = { ...(calls(1)[0] as object), id: 'e-1' };
    const control = { sessionId: 's-1', type: 'control', set: { unheard_of: 1 } };
    const batch = records(0, [...calls(5), 'no json', twice, twice, control, '[]']);
    log.gate = Promise.reject(new Error('the broker is away'));
    for (let i = 0; i < 3; i += 1) await expect(log.deliver(batch)).rejects.toThrow('away');
    log.gate = Promise.resolve();
    await log.deliver(batch);
    log.crash();
    await log.takeOver();
    const sample = (name: string) => metric(registry, `loopwatch_${name}`);
    expect(log.deadLetters).toHaveLength(2);
    expect({
      notJson: await sample('dead_letters_total{reason="not_json"}'),
      notAnObject: await sample('dead_letters_total{reason="not_an_object"}'),
      calls: await sample('tool_calls_total'),
      events: await sample('events_total{type="tool_call_request"}'),
      duplicates: await sample('duplicate_events_total'),
      refused: await sample('refused_settings_total'),
      opened: await sample('verdicts_total{detector="tool-repeat",phase="opened",action="block"}'),
    }).toEqual({ notJson: 1, notAnObject: 1, calls: 6, events: 6, duplicates: 1, refused: 1, opened: 1 });
    expect(lines.filter(({ msg }) => msg.includes('dead letter'))).toHaveLength(2);
  });

  it('batch counters: events of concurrent partitions are all counted', async () => {
    const { log, registry } = await startWorker();
    const event = { sessionId: 's', type: 'content', text: 'x' };
    const partitions = [0, 1, 2, 3];
    await Promise.all(partitions.map((partition) => log.deliver(records(0, [event, event]), { partition })));
    expect(await metric(registry, 'loopwatch_events_total{type="content"}')).toBe(8);
  });
});
