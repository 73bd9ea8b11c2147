import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { factsOf, IMAGE_TYPES } from '../../../src/core/domain/imageType.ts';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import {
  announced,
  heading,
  inBrowser,
  rows,
  savedEdits,
  shows,
} from '../../console/app/support/inBrowser.ts';
import { ALLOWING } from '../../console/app/support/stubAgent.ts';
import { isMeant } from '../../console/app/support/stubList.ts';

/** The usual types, with PDF and without GIF. */
const ACCEPTED = IMAGE_TYPES.filter((type) => type === 'pdf' || (factsOf(type).isDefault && type !== 'gif'));

inBrowser('folders', (here) => {
  const edits = () => savedEdits(here);

  test('are edited; an edit changes only the input, and keeps comments', async () => {
    const page = await here.browser.open('#/folders');
    await page.getByRole('link', { name: 'Edit /srv/scans/branch' }).click();
    await heading(page, 'Edit folder');
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await page.getByLabel('The original').inputValue()).toBe('archive');
    await page.getByLabel('Watch subfolders too').check();
    await page.getByLabel('How new files are noticed').selectOption('poll');
    await page.getByLabel('Name template').fill('{date}-{seq:5}');
    await page.getByLabel('pdf', { exact: true }).check();
    await page.getByLabel('gif').uncheck();
    await page.getByLabel('Largest file').fill('20MB');
    const lying = page.getByRole('group', { name: 'Files already in the folder' });
    // The default of the file.
    expect(await lying.getByLabel('Send all of them').isChecked()).toBe(true);
    await lying.getByRole('radio', { name: 'Send those changed since' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    expect(edits()).toEqual([]);
    await lying.locator('[type=date]').fill('2026-01-01');
    await page.getByLabel('The original').selectOption('keep');
    await page.getByLabel('Only these files').fill('*.jpg\n*.tif');
    await page.getByLabel('Ignore these files').fill('old/**');
    await page.getByLabel('Archive', { exact: true }).fill('done');
    await page.getByLabel('Complete files').fill('');
    await page.getByLabel('Patience').fill('5m');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    await heading(page, 'Folders');
    const at = (...path: (string | number)[]) => ['folders', 1, ...path];
    expect(edits()[0]).toEqual([
      { kind: 'set', path: at('afterUpload'), value: 'keep' },
      { kind: 'remove', path: at('settle', 'short') },
      { kind: 'set', path: at('settle', 'patience'), value: '5m' },
      { kind: 'set', path: at('recursive'), value: true },
      { kind: 'set', path: at('watch'), value: 'poll' },
      { kind: 'set', path: at('name'), value: '{date}-{seq:5}' },
      { kind: 'set', path: at('existing'), value: 'since 2026-01-01' },
      { kind: 'set', path: at('accept'), value: ACCEPTED },
      { kind: 'set', path: at('maxFileSize'), value: '20MB' },
      { kind: 'set', path: at('include'), value: ['*.jpg', '*.tif'] },
      { kind: 'set', path: at('ignore'), value: ['old/**'] },
      { kind: 'set', path: at('archiveTo'), value: 'done' },
    ]);
    expect(here.stub.agent.text).toContain('# The scanner at the front desk.');
  });

  test('earlier originals are counted, and stay unless a person decides otherwise', async () => {
    const folder = '/srv/scans/branch';
    here.stub.agent.originals = [{ folder, afterUpload: 'delete', files: 260, stay: true }];
    const saved = () => edits().at(-1);
    const open = async (page: Page, how: string) => {
      await page.getByRole('link', { name: `Edit ${folder}` }).click();
      await page.getByLabel('The original').selectOption(how);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    const page = await here.browser.open('#/folders');
    await open(page, 'delete');
    const dialog = page.getByRole('dialog', { name: 'Delete originals from now on?' });
    await shows(dialog.getByText(`260 files in ${folder} were sent before.`));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(here.stub.agent.text).toContain('afterUpload: archive');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await dialog.getByLabel('New files only').isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    const at = (key: string) => ['folders', 1, key];
    expect(saved()).toEqual([
      { kind: 'set', path: at('afterUpload'), value: 'delete' },
      { kind: 'set', path: at('afterUploadExisting'), value: 'leave' },
    ]);
    await heading(page, 'Folders');
    await open(page, 'archive');
    await dialog.getByLabel('Delete all 260 too').check();
    await dialog.getByRole('button', { name: 'Delete all 260 too' }).click();
    await expect
      .poll(() => saved())
      .toContainEqual({
        kind: 'set',
        path: at('afterUploadExisting'),
        value: 'include',
      });
  });

  test('a form says at once that the agent can’t write its configuration', async () => {
    here.stub.agent.isConfigWritable = false;
    const page = await here.browser.open('#/folders');
    for (const [place, title] of [
      ['folders/new', 'Add a folder'],
      ['endpoints/new', 'Create an endpoint at the service'],
      ['delivery', 'Limits for all endpoints together'],
      ['config/alerts', 'Alerts'],
    ] as const) {
      await page.goto(`${here.stub.url}/#/${place}`);
      await heading(page, title);
      await shows(page.getByText(ALLOWING));
    }
    await here.browser.reopen(page, '#/folders');
    await page
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
    await shows(page.getByRole('dialog').getByText('can’t write its configuration file'));
  });

  test('a single endpoint is preselected, one of several is not', async () => {
    const page = await here.browser.open('#/folders/new');
    const endpoint = page.getByLabel('Endpoint');
    await page.getByLabel('Path').fill('/mnt/new');
    expect(await endpoint.locator('option:checked').textContent()).toBe('Choose an endpoint …');
    await page.getByRole('button', { name: 'Add folder' }).click();
    expect(await endpoint.evaluate((select) => Reflect.get(select, 'validity').valueMissing)).toBe(true);
    expect(edits()).toEqual([]);
    const { agent } = here.stub;
    agent.text = agent.text
      .replace(/ {2}branch:\n.*\n.*\n/, '')
      .replace('endpoint: branch', 'endpoint: office');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading(page, 'Folders');
    await here.browser.reopen(page, '#/folders/new');
    await page.getByLabel('Path').fill('/mnt/new');
    expect(await page.getByLabel('Endpoint').locator('option').allTextContents()).toEqual(['office']);
    await page.getByRole('button', { name: 'Add folder' }).click();
    await announced(page, 'The folder was added.');
    expect(edits()).toEqual([
      [{ kind: 'append', path: ['folders'], value: { path: '/mnt/new', existing: 'skip' } }],
    ]);
  });

  test('input is not discarded without a question: by a link, the browser or a reload', async () => {
    const page = await here.browser.open('#/folders');
    const edit = page.getByRole('link', { name: 'Edit /srv/scans/branch' });
    const largest = page.getByLabel('Largest file');
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await edit.click();
    // Without input, there is no question.
    await largest.waitFor();
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await heading(page, 'Documents');
    await page.goBack();
    await largest.fill('20MB');

    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await heading(page, 'Edit folder');
    expect(page.url()).toContain('#/folders/edit');
    await page.goBack({ waitUntil: 'commit' }).catch(() => {});
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await expect.poll(() => page.url()).toContain('#/folders/edit');
    expect(await largest.inputValue()).toBe('20MB');

    const asked = page.waitForEvent('dialog');
    // No new page is loaded, so there is nothing to wait for.
    const reloaded = page.reload({ timeout: 1_000 }).catch(() => {});
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await reloaded;
    expect(await largest.inputValue()).toBe('20MB');

    await page.goBack({ waitUntil: 'commit' }).catch(() => {});
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await heading(page, 'Folders');
    await edit.click();
    expect(await largest.inputValue()).toBe('');
    await largest.fill('30MB');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await heading(page, 'Folders');
    expect(edits()).toEqual([]);
  });

  test('are added with three answers: where, where to, and only new files unless somebody wants others', async () => {
    const page = await here.browser.open('#/folders/new', { locale: 'de-DE' });
    const lying = page.getByRole('group', { name: 'Dateien, die schon im Ordner liegen' });
    const choices = () =>
      lying
        .getByRole('radio')
        .evaluateAll((all) => all.map((each) => Number(Reflect.get(each, 'checked'))).join(''));
    await page.getByRole('button', { name: 'Durchsuchen …' }).click();
    const picker = page.getByRole('region', { name: 'Ordner' });
    await picker.getByRole('button', { name: '/mnt' }).click();
    // A place to begin with is not a folder with scans.
    expect(await page.locator('#field-path').inputValue()).toBe('');
    await picker.getByRole('button', { name: 'new' }).click();
    expect(await page.locator('#field-path').inputValue()).toBe('/mnt/new');
    expect(await choices()).toBe('100');
    await shows(page.locator('.lying', { hasText: '1.234' }));
    await page.locator('#field-endpoint').selectOption('branch');
    // Everything else has a default, and is folded.
    const shown = page.locator('form :is(input, select, textarea)').filter({ visible: true });
    expect(await shown.evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      'field-path',
      'field-recursive',
      'field-endpoint',
      '',
      '',
      '',
    ]);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
      expect(await axeViolations(page)).toEqual([]);
    }
    await page.locator('details.more > summary').click();
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    expect(await axeViolations(page)).toEqual([]);
    await lying.getByRole('radio').nth(1).check();
    await lying.locator('[type=date]').fill('2026-10-01');
    await page.getByRole('button', { name: 'Ordner hinzufügen' }).click();
    await expect
      .poll(() => edits())
      .toEqual([
        [
          {
            kind: 'append',
            path: ['folders'],
            value: { path: '/mnt/new', endpoint: 'branch', existing: 'since 2026-10-01' },
          },
        ],
      ]);
    await heading(page, /^Ordner$/);
    expect(here.stub.agent.text).toContain('  - path: /mnt/new\n    existing: since 2026-10-01\n');
  });

  test('a folder that can’t be watched is noticed while it is typed', async () => {
    const page = await here.browser.open('#/folders/new');
    await page.getByLabel('Path').fill('/mnt/missing');
    await shows(page.locator('.looked').getByText('/mnt/missing does not exist'));
    expect(await page.locator('.lying').textContent()).toBe('');
  });

  test('are added after a test that shows what would happen to their files', async () => {
    const page = await here.browser.open('#/folders');
    await page.getByRole('link', { name: 'Add folder' }).click();
    await heading(page, 'Add a folder');
    await page.getByText('More settings').click();
    expect(await page.getByRole('button', { name: 'Test before saving' }).isDisabled()).toBe(true);
    await page.getByLabel('Path').fill('/mnt/new');
    await page.getByLabel('Endpoint').selectOption('office');
    await page.getByLabel('Name template').fill('{stem}');
    await page.getByRole('button', { name: 'Test before saving' }).click();
    const tested = page.locator('.folder-test');
    await shows(tested.getByText('2 subfolders are not watched.'));
    await shows(tested.getByText('File system: nfs'));
    const samples = rows(page, 'Names files would get');
    expect(await samples.first().textContent()).toBe('scan_00017.jpg{stem}-90d3a1b2c4e5');
    expect(await samples.last().textContent()).toContain('would not be sent');
    // The form also looks by itself at the files that are there, with less than is filled in.
    const tests = here.stub.agent.asked.filter(({ operation }) => operation === 'testFolder');
    expect(tests.map(({ request }) => request)).toContainEqual({
      path: '/mnt/new',
      settings: { endpoint: 'office', name: '{stem}' },
    });
    await page.getByRole('button', { name: 'Add folder' }).click();
    await announced(page, 'The folder was added.');
    await shows(rows(page, 'Folders').nth(3).getByText('/mnt/new', { exact: true }));
    const value = { path: '/mnt/new', endpoint: 'office', existing: 'skip', name: '{stem}' };
    expect(edits()[0]).toEqual([{ kind: 'append', path: ['folders'], value }]);
  });

  test('are tested in place, with the reason of a failure, and removed only after a dialog', async () => {
    const { agent } = here.stub;
    agent.text = agent.text.replace('/mnt/share/receipts', '/mnt/missing').replace(
      '  - path: /srv/scans/front-desk',
      // Not to be mistaken for a folder with the same ending.
      '  - path: ~/branch\n    endpoint: office\n  - path: /srv/scans/front-desk',
    );
    const page = await here.browser.open('#/folders');
    await page.getByRole('button', { name: 'Test /mnt/missing' }).click();
    await shows(page.getByText('/mnt/missing does not exist'));
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByText('/mnt/missing does not exist').count()).toBe(0);
    const tested = agent.asked.findLast(({ operation }) => operation === 'testFolder');
    expect(tested?.request).toEqual({ path: '/mnt/missing' });

    await page.getByRole('link', { name: 'Edit /srv/scans/branch' }).click();
    await expect.poll(() => page.locator('#field-path').inputValue()).toBe('/srv/scans/branch');
    await page.goBack();
    await page.getByRole('button', { name: 'Remove /srv/scans/branch' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove this folder?' });
    await shows(dialog.getByText('Its files and records stay'));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(edits()).toEqual([]);
    await page.getByRole('button', { name: 'Remove /srv/scans/branch' }).click();
    await dialog.getByRole('button', { name: 'Remove folder' }).click();
    await announced(page, '/srv/scans/branch is no longer watched.');
    expect(edits()).toEqual([[{ kind: 'remove', path: ['folders', 2] }]]);
    await expect.poll(() => rows(page, 'Folders').count()).toBe(3);
  });

  const day = (back: number) => {
    const at = new Date(Date.now() - back * 86_400_000);
    // The browser's time zone.
    return at.toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });
  };
  const seenOn = (first: string, last: string) => {
    const midnight = (text: string, days: number) =>
      new Date(Date.parse(`${text}T00:00:00+01:00`) + days * 86_400_000).toISOString();
    const span = { since: midnight(first, 0), until: midnight(last, 1) };
    return here.stub.agent.rows.filter((row) => isMeant(row, span));
  };

  test('counts the files of a day by folder, and links to open ones', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open(`#/days?day=${day(1)}`);
    const seen = seenOn(day(1), day(1));
    expect(seen.length).toBeGreaterThan(20);
    const total = rows(page, 'Files by folder').last();
    await shows(total.getByRole('cell').first().getByText(String(seen.length), { exact: true }));
    const accepted = seen.filter(({ state }) => state === 'accepted').length;
    const link = total.getByRole('link', { name: String(accepted), exact: true }).first();
    const isOpen = ({ state, needsPerson }: (typeof seen)[number]) =>
      needsPerson || ['queued', 'uploading'].includes(state);
    const open = seen.filter(isOpen).length;
    await shows(page.getByText(new RegExp(`^${open} of ${seen.length} files are pending:`)));
    await link.click();
    await shows(page.getByText(`${Math.min(50, accepted)} shown`));
    if (accepted > 50) await shows(page.getByText(`${accepted} in all.`));
    expect(page.url()).toContain(`since=${day(1)}`);
  });

  test('moves by day, week and month, all of which are in the address', async () => {
    const page = await here.browser.open(`#/days?day=2026-03-29`);
    await shows(page.getByRole('heading', { name: '29 Mar 2026' }));
    // The clocks go forward that night.
    await page.getByRole('button', { name: 'Later' }).click();
    await shows(page.getByRole('heading', { name: '30 Mar 2026' }));
    await page.getByRole('button', { name: 'Week' }).click();
    await shows(page.getByRole('heading', { name: '30 Mar 2026 – 5 Apr 2026' }));
    await page.getByRole('button', { name: 'Earlier' }).click();
    await shows(page.getByRole('heading', { name: '23 Mar 2026 – 29 Mar 2026' }));
    await page.getByRole('button', { name: 'Month' }).click();
    await shows(page.getByRole('heading', { name: '1 Mar 2026 – 31 Mar 2026' }));
    await page.getByLabel('Date').fill('2026-02-10');
    await shows(page.getByRole('heading', { name: '1 Feb 2026 – 28 Feb 2026' }));
    await shows(page.getByText('No file arrived in this period.'));
    await page.reload();
    await shows(page.getByRole('heading', { name: '1 Feb 2026 – 28 Feb 2026' }));
  });

  test('compares the folders with the ledger on request, whatever the files are called, also on a phone and in print', async () => {
    const page = await here.browser.open('#/days?span=week');
    await page.getByRole('button', { name: 'Compare' }).click();
    const branch = page.getByRole('region', { name: '/srv/scans/branch' });
    await shows(branch.getByText('2 of 12 files do not match the ledger:'));
    await shows(branch.getByText('late.jpg: not picked up yet'));
    await shows(
      branch.getByText('<img src=x onerror=alert(1)>.jpg: in the ledger, but no longer in the folder'),
    );
    await shows(page.getByText('12 files in the folder, all of them in the ledger.').first());
    await shows(rows(page, 'Files by folder').first());
    expect(await axeViolations(page)).toEqual([]);

    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    // Without the parts for the screen only.
    expect(await page.getByRole('navigation', { name: 'Pages', exact: true }).isVisible()).toBe(false);
    expect(await page.getByRole('table', { name: 'Files by folder' }).isVisible()).toBe(true);
  });
});
