import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { Request } from '../../../src/control/protocol/protocol.ts';
import { announced, heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';

inBrowser('folders, endpoints and the configuration', (here) => {
  const edits = () =>
    here.stub.agent.asked
      .filter(({ operation }) => operation === 'changeConfig')
      .map(({ request }) => request as Request<'changeConfig'>)
      .filter(({ dryRun = false }) => !dryRun)
      .map((request) => request.edits);

  test('a folder is paused and goes on; edited: what was typed and nothing else is changed, and comments stay', async () => {
    const page = await here.browser.open('#/folders');
    await page.getByRole('button', { name: 'Pause /srv/scans/branch' }).click();
    await announced(page, '/srv/scans/branch was paused.');
    await shows(rows(page, 'Folders').nth(1).getByText('paused'));
    await page.getByRole('button', { name: 'Resume /srv/scans/branch' }).click();
    await announced(page, '/srv/scans/branch was resumed.');
    await shows(rows(page, 'Folders').nth(1).getByText('watching'));

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
    await page.getByLabel('Files already in the folder').fill('since 2026-01-01');
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
      { kind: 'set', path: at('accept'), value: ['jpeg', 'png', 'tiff', 'webp', 'bmp', 'heic', 'pdf'] },
      { kind: 'set', path: at('maxFileSize'), value: '20MB' },
      { kind: 'set', path: at('include'), value: ['*.jpg', '*.tif'] },
      { kind: 'set', path: at('ignore'), value: ['old/**'] },
      { kind: 'set', path: at('archiveTo'), value: 'done' },
    ]);
    expect(here.stub.agent.text).toContain('# The scanner at the front desk.');
  });

  test('originals from before are counted and asked about; without an answer they stay', async () => {
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
    await shows(dialog.getByText(`260 files in ${folder} were accepted before.`));
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

  test('of several endpoints none is chosen beforehand; the only one is', async () => {
    const page = await here.browser.open('#/folders/new');
    const endpoint = page.getByLabel('Endpoint');
    await page.getByLabel('Path').fill('/mnt/new');
    expect(await endpoint.locator('option:checked').textContent()).toBe('Choose an endpoint …');
    await page.getByRole('button', { name: 'Save' }).click();
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
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'The folder was added.');
    expect(edits()).toEqual([[{ kind: 'append', path: ['folders'], value: { path: '/mnt/new' } }]]);
  });

  test('what was typed is not dropped without a question: by a link, the browser and a reload', async () => {
    const page = await here.browser.open('#/folders');
    const edit = page.getByRole('link', { name: 'Edit /srv/scans/branch' });
    const largest = page.getByLabel('Largest file');
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await edit.click();
    // Nothing typed: nothing asked.
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
    // There is no new page to wait for.
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

  test('a folder is added after a test that shows what would become of its files', async () => {
    const page = await here.browser.open('#/folders');
    await page.getByRole('link', { name: 'Add folder' }).click();
    await heading(page, 'Add a folder');
    expect(await page.getByRole('button', { name: 'Test before saving' }).isDisabled()).toBe(true);
    await page.getByLabel('Path').fill('/mnt/new');
    await page.getByLabel('Endpoint').selectOption('office');
    await page.getByLabel('Name template').fill('{stem}');
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await shows(page.getByText('2 subfolders are not watched.'));
    await shows(page.getByText('File system: nfs'));
    const samples = rows(page, 'Names files would get');
    expect(await samples.first().textContent()).toBe('scan_00017.jpg{stem}-90d3a1b2c4e5');
    expect(await samples.last().textContent()).toContain('would not be sent');
    expect(here.stub.agent.asked.find(({ operation }) => operation === 'testFolder')?.request).toEqual({
      path: '/mnt/new',
      settings: { endpoint: 'office', name: '{stem}' },
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'The folder was added.');
    await shows(rows(page, 'Folders').nth(3).getByText('/mnt/new', { exact: true }));
    expect(edits()[0]).toEqual([
      { kind: 'append', path: ['folders'], value: { path: '/mnt/new', endpoint: 'office', name: '{stem}' } },
    ]);
  });

  test('a configured folder is tested where it stands, and what fails is said; it is removed only after a dialog', async () => {
    here.stub.agent.text = here.stub.agent.text.replace('/mnt/share/receipts', '/mnt/missing');
    const page = await here.browser.open('#/folders');
    await page.getByRole('button', { name: 'Test /mnt/missing' }).click();
    await shows(page.getByText('This does not work. The folder does not exist.'));
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByText('does not exist').count()).toBe(0);
    const tested = here.stub.agent.asked.findLast(({ operation }) => operation === 'testFolder');
    expect(tested?.request).toEqual({ path: '/mnt/missing' });

    await page.getByRole('button', { name: 'Remove /srv/scans/branch' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove this folder?' });
    await shows(dialog.getByText('Its files and records stay'));
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(edits()).toEqual([]);
    await page.getByRole('button', { name: 'Remove /srv/scans/branch' }).click();
    await dialog.getByRole('button', { name: 'Remove folder' }).click();
    await announced(page, '/srv/scans/branch is no longer watched.');
    expect(edits()).toEqual([[{ kind: 'remove', path: ['folders', 1] }]]);
    await expect.poll(() => rows(page, 'Folders').count()).toBe(2);
  });

  test('a folder is not taken for one below the home that ends in the same way', async () => {
    const { agent } = here.stub;
    agent.text = agent.text.replace(
      '  - path: /srv/scans/front-desk',
      '  - path: ~/branch\n    endpoint: office\n  - path: /srv/scans/front-desk',
    );
    const page = await here.browser.open('#/folders/edit?path=/srv/scans/branch');
    await expect.poll(() => page.locator('#field-path').inputValue()).toBe('/srv/scans/branch');
    await page.goto(`${page.url().split('#')[0]}#/folders`);
    await page.getByRole('button', { name: 'Remove /srv/scans/branch' }).click();
    await page.getByRole('button', { name: 'Remove folder' }).click();
    await announced(page, '/srv/scans/branch is no longer watched.');
    expect(edits()).toEqual([[{ kind: 'remove', path: ['folders', 2] }]]);
  });

  test('a refusal says the reason and loses nothing that was typed', async () => {
    const page = await here.browser.open('#/endpoints/edit?alias=office');
    await page.getByLabel('Rate').fill('fast');
    await page.getByLabel('Uploads a day').fill('100');
    await page.getByRole('button', { name: 'Save' }).click();
    const alert = page.getByRole('alert');
    await shows(alert.getByText('Not saved, and nothing was changed:'));
    await shows(alert.getByText('Rate: N/s, N/min or N/h'));
    expect(await page.getByLabel('Rate').inputValue()).toBe('fast');
    expect(await page.getByLabel('Uploads a day').inputValue()).toBe('100');
    await page.getByLabel('Rate').fill('90/min');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    await shows(rows(page, 'Endpoints').first().getByText('4 at once · 90/min · 100 a day'));
    expect(here.stub.agent.text).toContain('# given in 2024');
  });

  test('a file that somebody else has changed meanwhile is read again, with what was typed or without', async () => {
    const { agent } = here.stub;
    const page = await here.browser.open('#/endpoints/edit?alias=office');
    await page.getByLabel('Uploads a month').fill('70000');
    agent.text = agent.text.replace('rate: 120/min', 'rate: 60/min');
    await page.getByRole('button', { name: 'Save' }).click();
    await shows(page.getByRole('alert').getByText('somebody else changed'));
    await page.getByRole('button', { name: 'Reload, keep what I typed' }).click();
    expect(await page.getByLabel('Rate').inputValue()).toBe('60/min');
    expect(await page.getByLabel('Uploads a month').inputValue()).toBe('70000');
    agent.text = agent.text.replace('rate: 60/min', 'rate: 30/min');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reload, discard what I typed' }).click();
    expect(await page.getByLabel('Rate').inputValue()).toBe('30/min');
    expect(await page.getByLabel('Uploads a month').inputValue()).toBe('');
    // Of this form the file has nothing any more.
    await page.getByLabel('Rate').fill('10/min');
    agent.text = agent.text
      .replace('  office:', '  head-office:')
      .replaceAll('endpoint: office', 'endpoint: head-office');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reload, keep what I typed' }).click();
    await shows(page.getByText('no longer in the configuration file'));
  });

  test('limits of all endpoints together are changed, set for the first time, and taken back', async () => {
    const { agent } = here.stub;
    agent.text = agent.text.replace('\ndelivery:\n  concurrency: 4\n', '');
    const page = await here.browser.open('#/endpoints');
    await page.getByRole('link', { name: 'Change limits' }).click();
    await page.getByLabel('Uploads at once').fill('8');
    await page.getByLabel('Bandwidth').fill('2MB/s');
    await page.getByLabel('When uploads may start').fill('Mon-Fri 07:00-19:00\nSat 08:00-12:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    await shows(page.getByText('Mon-Fri 07:00-19:00, Sat 08:00-12:00'));
    const value = { concurrency: 8, bandwidth: '2MB/s', hours: ['Mon-Fri 07:00-19:00', 'Sat 08:00-12:00'] };
    expect(edits()[0]).toEqual([{ kind: 'set', path: ['delivery'], value }]);
    await page.getByRole('link', { name: 'Change limits' }).click();
    await page.getByLabel('Uploads at once').fill('');
    await page.getByLabel('Bandwidth').fill('');
    await page.getByLabel('When uploads may start').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(edits).toHaveLength(2);
    expect(edits()[1]).toEqual([{ kind: 'remove', path: ['delivery'] }]);
  });

  test('what takes effect at the next start only is said after saving', async () => {
    here.stub.agent.restartNeeded = ['stateDir'];
    const page = await here.browser.open('#/delivery');
    await page.getByLabel('Uploads a day').fill('500');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Takes effect at the next start: stateDir.');
  });

  test('an endpoint is paused and goes on; one is created at the service, once, however slow that is', async () => {
    const page = await here.browser.open('#/endpoints');
    await page.getByRole('button', { name: 'Pause branch' }).click();
    await shows(rows(page, 'Endpoints').nth(1).getByText('paused'));
    await page.getByRole('button', { name: 'Resume branch' }).click();
    await shows(rows(page, 'Endpoints').nth(1).getByText('open'));

    await shows(rows(page, 'Endpoints known here').nth(1).getByText('Branch Köln'));
    await page.getByRole('link', { name: 'Create endpoint' }).click();
    await page.getByLabel('Name at the service').fill('Depot');
    await page.getByLabel('Name here').fill('office');
    await page.getByRole('textbox', { name: 'Language' }).fill('de-DE');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await shows(page.getByRole('alert').getByText('The endpoint office already exists.'));
    expect(await page.getByLabel('Name at the service').inputValue()).toBe('Depot');
    await page.getByLabel('Name here').fill('depot');
    const release = here.stub.hold('createEndpoint');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    const waiting = page.getByRole('button', { name: 'Creating …' });
    await shows(waiting);
    expect(await waiting.isDisabled()).toBe(true);
    release();
    await announced(page, /depot was created with the uid 0c9d1f70-/);
    await shows(rows(page, 'Endpoints').nth(2).getByText('depot'));
    const asked = here.stub.agent.asked.filter(({ operation }) => operation === 'createEndpoint');
    expect(asked.map(({ request }) => request).at(-1)).toEqual({
      name: 'Depot',
      alias: 'depot',
      language: 'de-DE',
    });
    expect(asked).toHaveLength(1);
  });

  test('the configuration shows the file, where it lies, its problem and what waits for a restart', async () => {
    const { agent } = here.stub;
    agent.problem = 'folders.0.path: expected a path.';
    agent.restartNeeded = ['log.maxSize'];
    const page = await here.browser.open('#/config/file');
    await shows(page.getByText('/etc/receiptd/receiptd.yaml'));
    await shows(page.getByText(agent.revision, { exact: true }));
    await page.getByText('Details').click();
    await shows(page.getByText('folders.0.path: expected a path.'));
    await shows(page.getByText('Takes effect at the next start: log.maxSize.'));
    expect(await page.getByRole('group', { name: 'Text of the configuration file' }).textContent()).toContain(
      '    uid: 6f1c2a58-9c3e-4f0e-8a57-0b1d2c3e4f50 # given in 2024\n    rate: 120/min\n',
    );
    agent.problem = null;
    await page.getByRole('button', { name: 'Reload the file' }).click();
    await announced(page, 'The file was reloaded.');
    await page.getByText('folders.0.path').waitFor({ state: 'detached' });
    here.stub.fail(
      'reload',
      new ReceiptdError('CONFIG_SYNTAX', 'Line 3 is no YAML.', { hint: 'Correct it.' }),
    );
    await page.getByRole('button', { name: 'Reload the file' }).click();
    await shows(page.getByRole('alert').getByText('The configuration file is not valid YAML.'));
  });

  test('alerts are set, the password of the mail server is stored apart, and each channel is tested', async () => {
    const { agent } = here.stub;
    const page = await here.browser.open('#/config');
    await page.getByRole('link', { name: 'Alerts' }).click();
    await heading(page, 'Alerts');
    agent.mailPassword = 'missing';
    await page.getByLabel('Mail server', { exact: true }).fill('smtps://mail.example.com');
    await page.getByLabel('Who gets mail').fill('office@example.com\nann@example.com');
    await page.getByLabel('User at the mail server').fill('scans');
    await page.getByLabel('Quiet hours').fill('Sat-Sun 00:00-24:00');
    await page.getByLabel('Daily summary').fill('07:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    const email = {
      server: 'smtps://mail.example.com',
      to: ['office@example.com', 'ann@example.com'],
      user: 'scans',
    };
    expect(edits()).toEqual([
      [
        {
          kind: 'set',
          path: ['alerts'],
          value: { email, digest: '07:30', quietHours: ['Sat-Sun 00:00-24:00'] },
        },
      ],
    ]);
    expect(agent.text).toContain('# The scanner at the front desk.');

    await shows(page.getByText('No password is stored for this user'));
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Store password' }).click();
    await announced(page, 'The password was stored.');
    await shows(page.getByText('A password is stored.'));
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');

    await page.getByRole('button', { name: 'Send a test Mail' }).click();
    await announced(page, 'The test was delivered: Mail.');
    await page.getByRole('button', { name: 'Send a test Webhook' }).click();
    const alert = page.getByRole('alert');
    await shows(alert.getByText('Not delivered.'));
    await alert.getByText('Details').click();
    await shows(alert.getByText('The webhook at hooks.example.com answered'));
    const tests = agent.asked.filter(({ operation }) => operation === 'testAlerts');
    expect(tests.map(({ request }) => request)).toEqual([{ channel: 'email' }, { channel: 'webhook' }]);

    await page.getByLabel('Quiet hours').fill('none');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => edits().at(-1))
      .toEqual([{ kind: 'set', path: ['alerts', 'quietHours'], value: 'none' }]);
  });

  test('what only the file changes is shown with its value and the reason, and has no field', async () => {
    const { agent } = here.stub;
    agent.text +=
      'alerts:\n  command: [ /usr/local/bin/tell, --now ]\nmonitoring: { listen: 127.0.0.1:9464 }\n';
    const page = await here.browser.open('#/config/alerts');
    const row = page.locator('.in-file > div', { hasText: 'alerts.command' });
    await shows(row.getByText('/usr/local/bin/tell --now'));
    await shows(row.getByText('A program that receiptd runs.'));
    await shows(page.getByText('Change these in /etc/receiptd/receiptd.yaml with an editor'));
    expect(await page.locator('.in-file input').count()).toBe(0);
    await page.getByRole('link', { name: '← Settings' }).click();
    await page.getByRole('link', { name: 'Monitoring' }).click();
    await shows(page.getByText('127.0.0.1:9464'));
    await shows(page.getByText('An address that receiptd listens on.'));
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('what a change would do is said with numbers before it is saved, and it can be undone', async () => {
    const { agent } = here.stub;
    agent.consequences = [{ kind: 'released', waiting: 3412, before: 60, after: 3412 }];
    const page = await here.browser.open('#/delivery');
    await page.getByLabel('Uploads at once').fill('8');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this change?' });
    await shows(
      dialog.getByText(
        '3,412 documents wait to be sent. With this change, up to 3,412 can be sent within an hour, up from 60.',
      ),
    );
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(edits()).toEqual([]);
    const before = agent.text;
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    await heading(page, 'Endpoints and limits');
    await shows(page.getByText(/^Changed here at .*delivery\.concurrency/));
    expect(agent.text).not.toBe(before);
    await page.getByRole('button', { name: 'Undo' }).click();
    await announced(page, 'The last change was undone.');
    expect(agent.text).toBe(before);
  });

  test('an endpoint is created for another account', async () => {
    const { agent } = here.stub;
    agent.text += 'accounts:\n  second: { store: file }\n';
    const page = await here.browser.open('#/endpoints/new');
    await page.getByLabel('Name at the service').fill('Depot');
    await page.getByLabel('Name here').fill('depot');
    await page.getByLabel('Account').selectOption('second');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await announced(page, /depot was created/);
    expect(agent.asked.findLast(({ operation }) => operation === 'createEndpoint')?.request).toEqual({
      name: 'Depot',
      alias: 'depot',
      account: 'second',
    });
  });
});
