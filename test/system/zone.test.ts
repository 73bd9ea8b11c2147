/** A laptop that travels, and a TZ that names nothing. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { unknownZone, watchZone } from '../../src/system/zone.ts';
import { compile } from '../support/scripts.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { hasNamespaces, runInNamespace } from '../support/namespace.ts';
import { tempDir } from '../support/tempDir.ts';

const MINUTE = 60_000;

function started(env: NodeJS.ProcessEnv, links: (string | null)[]) {
  const clock = new FakeClock();
  const log = new RecordedLog();
  const stop = new AbortController();
  let renewed = 0;
  let at = 0;
  const source = async () => links[Math.min(at++, links.length - 1)] ?? null;
  const running = watchZone({ clock, log, env, source, renew: () => (renewed += 1) }, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return { clock, log, renewed: () => renewed };
}

it('applies a changed zone once, and not while its link is being replaced', async () => {
  const { clock, log, renewed } = started({}, ['a', 'a', null, 'a', 'b', 'b', null, 'b']);
  await clock.advance(10 * MINUTE);
  expect(renewed()).toBe(1);
  expect(log.lines.map(({ message }) => message)).toEqual(["The machine's time zone has changed"]);
});

it('does not ask the system if TZ sets the zone', async () => {
  const { clock, renewed } = started({ TZ: 'Europe/Berlin' }, ['a', 'b', 'c']);
  await clock.advance(10 * MINUTE);
  expect(renewed()).toBe(0);
  expect(clock.sleeping).toBe(0);
});

describe('a TZ', () => {
  it.each([
    ['Nonsense/Place', true],
    ['Foo3', true],
    [':Nowhere', true],
    ['', false],
    ['UTC', false],
    ['Etc/GMT+5', false],
    ['Europe/Berlin', false],
    [':Asia/Kathmandu', false],
    ['EST5EDT', false],
  ])('of %j: known or not, as this Node has it', (TZ, isUnknown) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TZ', TZ);
    expect(unknownZone(TZ) !== null).toBe(isUnknown);
  });
});

it.skipIf(!hasNamespaces)('Node takes the new zone of the system without a restart', async () => {
  const { url } = await compile('system/zone.ts');
  const etc = tempDir('etc');
  await symlink('/usr/share/zoneinfo/Europe/Berlin', join(etc, 'localtime'));
  const said = await runInNamespace(
    `unset TZ; mount --bind ${etc} /etc`,
    `
      import { rmSync, symlinkSync } from 'node:fs';
      const { watchZone, zoneName } = await import(${JSON.stringify(url)});
      const stop = new AbortController();
      const say = () => console.log(JSON.stringify([zoneName(), new Date(Date.UTC(2026, 0, 1)).getHours()]));
      const log = { info: () => { say(); stop.abort(); }, warn: console.error };
      const clock = { sleep: () => new Promise((resolve) => setTimeout(resolve, 5)) };
      say();
      const running = watchZone({ clock, log, env: process.env }, stop.signal);
      setTimeout(() => {
        rmSync('/etc/localtime');
        symlinkSync('/usr/share/zoneinfo/Asia/Tokyo', '/etc/localtime');
      }, 20);
      await running;
    `,
  );
  expect(said).toEqual([
    ['Europe/Berlin', 1],
    ['Asia/Tokyo', 9],
  ]);
});
