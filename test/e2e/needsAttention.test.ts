import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type Site } from './support/agent.ts';

const PLACE = '_needs attention';
const settle = { short: '100ms', long: '200ms', patience: '300ms' };

async function office(
  keys: Record<string, unknown> = {},
): Promise<{ site: Site; inbox: string; place: string; shown: () => string[] }> {
  const site = await prepare();
  const inbox = site.file('inbox');
  await site.configure({
    ...keys,
    folders: [
      {
        path: inbox,
        endpoint: 'office',
        recursive: true,
        needsAttention: PLACE,
        maxFileSize: '50kB',
        settle,
      },
    ],
  });
  const place = site.file('inbox', PLACE);
  const shown = (): string[] =>
    existsSync(place)
      ? readdirSync(place)
          .filter((name) => !name.startsWith('.'))
          .toSorted()
      : [];
  return { site, inbox, place, shown };
}

function why(place: string, name: string): string {
  return readFileSync(`${place}/${name} - why.txt`, 'utf8');
}

test('people at the scanner see unsent files and the reasons until they are settled, and the copies are not sent', async () => {
  const { site, inbox, place, shown } = await office();
  const good = await drawReceipt({ type: 'jpeg', seed: 'good' });
  const refused = await drawReceipt({ type: 'jpeg', seed: 'refused' });
  site.sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'refused', body: 'too dark' });
  await mkdir(place);
  await writeFile(`${place}/cut.jpg`, 'a file of somebody else');
  const agent = await site.quickStart();
  await writeFile(`${inbox}/text.jpg`, 'this is no image at all');
  await writeFile(`${inbox}/cut.jpg`, good.subarray(0, good.length / 2));
  await mkdir(`${inbox}/second floor`);
  await writeFile(`${inbox}/second floor/large.jpg`, Buffer.alloc(60_000, 1));
  await writeFile(`${inbox}/refused.jpg`, refused);
  const all = ['cut (2).jpg', 'refused.jpg', 'text.jpg'];
  await until(() => shown().length === 8, 'four answers');
  expect(shown()).toEqual(
    ['cut.jpg', 'large.jpg - why.txt', ...all, ...all.map((name) => `${name} - why.txt`)].toSorted(),
  );
  expect(readFileSync(`${place}/refused.jpg`)).toEqual(refused);
  expect(why(place, 'text.jpg')).toMatch(
    /^\uFEFFtext\.jpg was not sent\. It is not an image, or it is damaged\.\r\n.*\r\n.*\r\n.* \[DAMAGED\]\r\n$/,
  );
  expect(why(place, 'cut (2).jpg')).toMatch(
    /^\uFEFFcut\.jpg was not sent\. .* is incomplete\.\s.*\[INCOMPLETE\]/s,
  );
  expect(why(place, 'large.jpg')).toMatch(
    /second floor\/large\.jpg .* too large \(60 kB\)\..*\[TOO_LARGE\]/s,
  );
  expect(why(place, 'refused.jpg')).toMatch(/was not sent\. .*\[HTTP_422\]/s);

  // A copy that people delete is not recreated, and nothing else is lost.
  await rm(`${place}/large.jpg - why.txt`);
  await rm(`${inbox}/text.jpg`);
  await writeFile(`${inbox}/cut.jpg`, good);
  site.sandbox.behave();
  await site.quickMust('retry', '--all');
  await until(() => shown().length === 1, 'what is mended to go');
  expect(readFileSync(`${place}/cut.jpg`, 'utf8')).toBe('a file of somebody else');
  await until(() => site.sandbox.stats().stored === 2, 'both receipts');
  expect(await agent.stop()).toMatchObject({ status: 0 });
  expect((await site.list()).filter(({ path }) => path.includes(PLACE))).toEqual([]);
  expect(existsSync(`${site.stateDir}/attention`)).toBe(true);
});

test('a file whose name is not valid UTF-8 gets a note while the agent runs, and status says to rename it', async () => {
  const { site, inbox, place, shown } = await office({ intake: { reconcileEvery: '3s' } });
  const agent = await site.quickStart();
  await writeFile(`${inbox}/first.jpg`, 'this is no image at all');
  await until(() => shown().length === 2, 'the agent to show files');
  const name = Buffer.concat([Buffer.from(`${inbox}/caf`), Buffer.from([0xe9]), Buffer.from('.jpg')]);
  await writeFile(name, await drawReceipt({ type: 'jpeg', seed: 'latin1' }));
  await until(() => shown().includes('caf%E9.jpg - why.txt'), 'the note');
  expect(why(place, 'caf%E9.jpg')).toContain('Rename the file');
  const { stdout } = await site.look('status');
  expect(stdout).toMatch(/Rename the file.*\[PERSON_NEEDED\]/);
  expect(stdout).not.toContain('[FILE_UNREADABLE]');
  await rename(name, `${inbox}/cafe.jpg`);
  await until(() => !shown().includes('caf%E9.jpg - why.txt'), 'the note to go');
  expect(await agent.stop()).toMatchObject({ status: 0 });
});

test('the folder for people is tidied up after a kill, and when the configuration moves it', async () => {
  const { site, inbox, place, shown } = await office();
  const scans = Array.from({ length: 10 }, (_, n) => `scan ${n}.jpg`);
  for (const name of scans) await writeFile(`${inbox}/${name}`, `no image: ${name}`);
  const killed = await site.start();
  await until(() => shown().length > 4, 'some of them');
  await killed.kill();
  const agent = await site.quickStart();
  const both = scans.flatMap((name) => [name, `${name} - why.txt`]).toSorted();
  await until(() => shown().length === both.length, 'all of them, once');
  expect(shown()).toEqual(both);
  const hidden = (): string[] => readdirSync(place).filter((name) => name.startsWith('.'));
  await until(() => hidden().length === 0, 'nothing half done');

  const elsewhere = site.file('inbox', 'look here');
  await site.configure({
    folders: [{ path: inbox, endpoint: 'office', recursive: true, needsAttention: elsewhere, settle }],
  });
  await until(
    () => existsSync(elsewhere) && readdirSync(elsewhere).length === both.length,
    'the other place',
  );
  expect(existsSync(place)).toBe(false);
  await site.configure({ folders: [{ path: inbox, endpoint: 'office', recursive: true, settle }] });
  await until(() => !existsSync(elsewhere), 'nothing to be shown any more');
  expect(await agent.stop()).toMatchObject({ status: 0 });
  expect((await site.list()).map(({ path }) => path).toSorted()).toEqual(
    scans.map((name) => `${inbox}/${name}`).toSorted(),
  );
});
