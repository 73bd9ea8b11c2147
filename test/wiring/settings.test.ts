import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Settings } from '../../src/wiring/settings.ts';
import type { Config } from '../../src/config/config.ts';
import type { Consequence } from '../../src/control/protocol/consequences.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import type { LedgerStorage } from '../../src/core/ports/ledger.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { tempDir } from '../support/tempDir.ts';

const TEXT = `# ours
service: { baseUrl: https://api.example.com, proxy: "http://user:pass-word@proxy:3128" }
endpoints: { office: { uid: u-1 } }
folders:
  - path: /srv/scans # here
stateDir: state
`;

async function begin(text = TEXT) {
  const dir = tempDir('settings');
  const file = join(dir, 'receiptd.yaml');
  await writeFile(file, text);
  const clock = new FakeClock();
  const log = new RecordedLog();
  const opened = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => opened.close());
  let trouble: ReturnType<LedgerStorage['trouble']> = null;
  const ledger = { ...opened, storage: { trouble: () => trouble, onChange: () => () => {} } };
  const incidents = new OpenIncidents({ clock, log });
  const replace = vi.fn<(config: Config) => Promise<void>>(async () => {});
  const foresee = vi.fn<(before: Config, after: Config) => Promise<Consequence[]>>(async () => []);
  const context = { env: {}, platform: process.platform, home: dir, cwd: dir, isRoot: false };
  const settings = await Settings.read({
    file,
    context,
    lasting: { ledger, incidents, log, clock },
    replace,
    foresee,
    unwritable: async () => [],
  });
  return {
    dir,
    file,
    log,
    ledger,
    incidents,
    replace,
    foresee,
    settings,
    content: () => readFile(file, 'utf8'),
    setTrouble: (now: typeof trouble) => {
      trouble = now;
    },
  };
}

const recursive = [{ kind: 'set' as const, path: ['folders', 0, 'recursive'], value: true }];

it('a change keeps Windows line breaks and a byte order mark', async () => {
  const { settings, content, replace } = await begin(`\uFEFF${TEXT.replaceAll('\n', '\r\n')}`);
  const { problem } = await settings.edit(recursive, { by: 'ann' });
  expect(problem).toBeNull();
  const changed = TEXT.replace('# here\n', '# here\n    recursive: true\n');
  expect(await content()).toBe(`\uFEFF${changed.replaceAll('\n', '\r\n')}`);
  expect(replace.mock.calls[0]?.[0].folders[0]?.recursive).toBe(true);
});

it("the file is restored if a change can't be applied or recorded", async () => {
  const { settings, content, replace, ledger } = await begin();
  replace.mockRejectedValueOnce(new Error('a defect'));
  await expect(settings.edit(recursive, {})).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  expect(await content()).toBe(TEXT);
  expect(settings.inEffect.config.folders[0]?.recursive).toBe(false);
  ledger.recordAct = () =>
    Promise.reject(new ReceiptdError({ code: 'DISK_FULL', message: 'The disk is full.' }));
  await expect(settings.edit(recursive, {})).rejects.toMatchObject({ code: 'DISK_FULL' });
  expect(await content()).toBe(TEXT);
  expect(await settings.state()).toMatchObject({ problem: null, restartNeeded: [] });
});

it('settings that only a restart applies stay unchanged, and are reported', async () => {
  const { dir, file, settings, replace, log } = await begin();
  const before = settings.inEffect.config;
  const taken: Config[] = [];
  settings.inEffect.onTaken((config) => taken.push(config));
  const more = 'log: { level: debug }\nstorage: { reserve: 1MB, spoolLimit: 2GB }\n';
  await writeFile(file, TEXT.replace('stateDir: state', 'stateDir: elsewhere') + more);
  expect((await settings.reload()).restartNeeded).toEqual(['stateDir', 'storage.reserve', 'log.level']);
  expect(settings.inEffect.notes()).toHaveLength(1);
  const [[now] = []] = replace.mock.calls;
  expect(now).toMatchObject({ stateDir: before.stateDir, log: before.log, credentials: before.credentials });
  expect(now?.storage).toEqual({ ...before.storage, spoolLimit: 2_000_000_000 });
  expect(taken).toEqual([now]);
  expect(log.said('Some changes to the configuration need a restart')).toHaveLength(1);
  // The configuration is not replaced if nothing else changes.
  await writeFile(file, TEXT.replace('stateDir: state', `stateDir: ${join(dir, 'third')}`));
  await settings.reload();
  await writeFile(file, `${TEXT.replace('stateDir: state', 'stateDir: fourth')}# a comment\n`);
  expect((await settings.reload()).restartNeeded).toEqual(['stateDir']);
  expect(replace).toHaveBeenCalledTimes(2);
  await writeFile(file, TEXT);
  expect((await settings.reload()).restartNeeded).toEqual([]);
  expect(settings.inEffect.notes()).toEqual([]);
  expect(replace).toHaveBeenCalledTimes(2);
});

it('the path of each folder is resolved by the agent, which knows its home', async () => {
  const more = '  - path: ~/receipts\n  - path: receipts/../other//receipts\n  - path: /srv/receipts\n';
  const { dir, file, settings } = await begin(TEXT.replace('stateDir', `${more}stateDir`));
  const { folderPaths } = await settings.state();
  const places = ['/srv/scans', join(dir, 'receipts'), join(dir, 'other/receipts'), '/srv/receipts'];
  expect(folderPaths).toEqual(places);
  expect(settings.inEffect.config.folders.map(({ path }) => path)).toEqual(places);
  await writeFile(file, `${TEXT}unknown: 1\n`);
  expect((await settings.state()).folderPaths).toEqual([]);
});

it('passwords are not shown, and their placeholders are never written', async () => {
  const { file, settings, content } = await begin();
  const state = await settings.state();
  expect(JSON.stringify(state)).not.toContain('pass-word');
  expect(state.text).toContain('user:***@proxy');
  const { proxy } = state.values['service'] as { proxy: string };
  const back = settings.edit([{ kind: 'set', path: ['service', 'proxy'], value: proxy }], {});
  await expect(back).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await settings.edit(recursive, {});
  expect(await content()).toContain('pass-word');
  await writeFile(file, `${TEXT}clientSecret: "s3cret\n`);
  await expect(settings.reload()).rejects.toMatchObject({ code: 'CONFIG_SYNTAX' });
  expect(JSON.stringify(await settings.state())).not.toContain('s3cret');
});

it('an invalid file opens one incident at the second check, which closes once the file is valid', async () => {
  const { file, settings, incidents, log } = await begin();
  await writeFile(file, TEXT.replace('folders', 'folder'));
  expect(await settings.fileChanged(false)).toBe('wrong');
  expect(incidents.list()).toEqual([]);
  expect((await settings.state()).problem).toContain('folder');
  expect(await settings.fileChanged(true)).toBe('wrong');
  expect(incidents.list()).toMatchObject([{ code: 'CONFIG_INVALID' }]);
  await rm(file);
  expect(await settings.fileChanged(true)).toBe('wrong');
  expect(incidents.list()).toMatchObject([{ code: 'CONFIG_NOT_FOUND' }]);
  expect(await settings.state()).toMatchObject({ text: '', writable: false, grantCommand: null });
  await writeFile(file, Buffer.from([0xff, 0xfe, 0x00]));
  await expect(settings.reload()).rejects.toMatchObject({ code: 'CONFIG_SYNTAX' });
  expect(log.said('A problem began')).toHaveLength(1);
  await writeFile(file, TEXT);
  expect(await settings.fileChanged(false)).toBe('right');
  expect(incidents.list()).toEqual([]);
  expect((await settings.state()).problem).toBeNull();
});

it('a change can repair an invalid file', async () => {
  const { file, settings, incidents } = await begin();
  await writeFile(file, `${TEXT}unknown: 1\n`);
  await settings.fileChanged(true);
  expect(incidents.list()).toHaveLength(1);
  await settings.edit([{ kind: 'remove', path: ['unknown'] }], {});
  expect(incidents.list()).toEqual([]);
});

it("a change of the file waits while the ledger can't be written", async () => {
  const { file, settings, incidents, replace, setTrouble } = await begin();
  setTrouble({ code: 'DISK_FULL', message: 'The disk is full.', hint: 'Make room.' });
  await writeFile(file, TEXT.replace('# here', '# there'));
  expect(await settings.fileChanged(false)).toBe('right');
  await writeFile(file, `${TEXT}spool: always\n`);
  expect(await settings.fileChanged(false)).toBe('later');
  expect([incidents.list(), replace.mock.calls]).toEqual([[], []]);
  setTrouble(null);
  expect(await settings.fileChanged(false)).toBe('right');
  expect(replace).toHaveBeenCalledTimes(1);
});

it('a change that changes nothing writes nothing', async () => {
  const { dir, settings, replace } = await begin();
  await settings.edit([{ kind: 'set', path: ['stateDir'], value: 'state' }], {});
  expect(await readdir(dir)).not.toContain('state');
  expect(replace).not.toHaveBeenCalled();
});

it('the state directory, where commands look for the agent, cannot be changed', async () => {
  const { file, settings, replace } = await begin();
  const moved = settings.edit([{ kind: 'set', path: ['stateDir'], value: 'elsewhere' }], {});
  await expect(moved).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: /stateDir can't be changed/ });
  expect(await readFile(file, 'utf8')).toBe(TEXT);
  expect(replace).not.toHaveBeenCalled();
});

it('the last change can be undone, and so can the undo, byte for byte', async () => {
  const { settings, content, replace } = await begin();
  expect((await settings.state()).undo).toBeNull();
  const { revision, undo } = await settings.edit(recursive, { by: 'console' });
  expect(undo).toMatchObject({ by: 'console', keys: ['folders[0].recursive'] });
  const changed = await content();
  const trial = await settings.undo({ revision, dryRun: true, by: 'console' });
  expect([await content(), trial.consequences]).toEqual([changed, []]);
  const back = await settings.undo({ revision, by: 'console' });
  expect(await content()).toBe(TEXT);
  expect(replace.mock.calls.map(([config]) => config.folders[0]?.recursive)).toEqual([true, false]);
  expect(back.undo).toMatchObject({ keys: ['folders[0].recursive'] });
  await settings.undo({ revision: back.revision, by: 'console' });
  expect(await content()).toBe(changed);
});

it('a change cannot be undone once the file has changed, and the console undoes only its own changes', async () => {
  const { file, settings, content } = await begin();
  const { revision } = await settings.edit(recursive, { by: 'ann' });
  await expect(settings.undo({ revision, by: 'console' })).rejects.toMatchObject({ code: 'CONFIG_CHANGED' });
  await writeFile(file, `${await content()}# more\n`);
  const { revision: now, undo } = await settings.state();
  expect(undo).toBeNull();
  await expect(settings.undo({ revision: now })).rejects.toMatchObject({ code: 'CONFIG_CHANGED' });
});

it('only a dry run computes the consequences of a change', async () => {
  const { settings, foresee } = await begin();
  const consequence = { kind: 'unprotected' as const, waiting: 3 };
  foresee.mockResolvedValue([consequence]);
  const edits = [{ kind: 'set' as const, path: ['spool'], value: 'never' }];
  expect((await settings.edit(edits, { dryRun: true })).consequences).toEqual([consequence]);
  expect((await settings.edit(edits, {})).consequences).toBeUndefined();
  expect(foresee.mock.calls.map(([before, after]) => [before.spool, after.spool])).toEqual([
    ['auto', 'never'],
  ]);
  foresee.mockRejectedValue(new ReceiptdError({ code: 'LEDGER_UNREACHABLE', message: 'It is away.' }));
  expect((await settings.edit(recursive, { dryRun: true })).consequences).toEqual([]);
});
