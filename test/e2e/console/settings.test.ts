import { expect, test } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import {
  announced,
  heading,
  inBrowser,
  rows,
  savedEdits,
  shows,
} from '../../console/app/support/inBrowser.ts';

inBrowser('endpoints and the configuration', (here) => {
  const edits = () => savedEdits(here);

  test('a file that changed in the meantime is read again, with or without the input', async () => {
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
    // The file has none of the settings of this form any more.
    await page.getByLabel('Rate').fill('10/min');
    agent.text = agent.text
      .replace('  office:', '  head-office:')
      .replaceAll('endpoint: office', 'endpoint: head-office');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reload, keep what I typed' }).click();
    await shows(page.getByText('no longer in the configuration file'));
  });

  test('limits of all endpoints together are set, changed and undone; settings that need a restart are named', async () => {
    const { agent } = here.stub;
    agent.text = agent.text.replace('\ndelivery:\n  concurrency: 4\n', '');
    const page = await here.browser.open('#/endpoints');
    await page.getByRole('link', { name: 'Change limits' }).click();
    await page.getByLabel('Uploads at once').fill('8');
    const unit = page.locator('output.unit');
    await page.getByLabel('Rate').fill('2/s');
    expect(await unit.textContent()).toBe('per second');
    await page.getByLabel('Rate').fill('30');
    expect(await unit.textContent()).toBe('per minute');
    await page.getByLabel('Bandwidth').fill('2MB/s');
    await page.getByLabel('When uploads may start').fill('Mon-Fri 07:00-19:00\nSat 08:00-12:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    await shows(page.getByText('Mon-Fri 07:00-19:00, Sat 08:00-12:00'));
    await shows(page.getByText('30 per minute', { exact: true }));
    const value = {
      concurrency: 8,
      rate: '30/min',
      bandwidth: '2MB/s',
      hours: ['Mon-Fri 07:00-19:00', 'Sat 08:00-12:00'],
    };
    expect(edits()[0]).toEqual([{ kind: 'set', path: ['delivery'], value }]);
    agent.restartNeeded = ['stateDir'];
    await page.getByRole('link', { name: 'Change limits' }).click();
    await page.getByLabel('Uploads at once').fill('');
    await page.getByLabel('Rate').fill('');
    await page.getByLabel('Bandwidth').fill('');
    await page.getByLabel('When uploads may start').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Takes effect at the next start: stateDir.');
    expect(edits()[1]).toEqual([{ kind: 'remove', path: ['delivery'] }]);
  });

  test('an endpoint is paused and resumed; a new one is created at the service once, however slow that is, or for another account', async () => {
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

    here.stub.agent.text += 'accounts:\n  second: { store: file }\n';
    await here.browser.reopen(page, '#/endpoints/new');
    await page.getByLabel('Name at the service').fill('Agency');
    await page.getByLabel('Name here').fill('agency');
    await page.getByLabel('Account').selectOption('second');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await announced(page, /agency was created/);
    expect(
      here.stub.agent.asked.findLast(({ operation }) => operation === 'createEndpoint')?.request,
    ).toEqual({
      name: 'Agency',
      alias: 'agency',
      account: 'second',
    });
  });

  test('the configuration shows the file, its path, its problem and the settings that need a restart', async () => {
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
      new ReceiptdError({ code: 'CONFIG_SYNTAX', message: 'Line 3 is no YAML.', hint: 'Correct it.' }),
    );
    await page.getByRole('button', { name: 'Reload the file' }).click();
    await shows(page.getByRole('alert').getByText('The configuration file is not valid YAML.'));
  });

  test('alerts are set, the password of the mail server is stored separately, and each channel is tested', async () => {
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

  test('settings that only the file changes are shown with their value and the reason, without a field', async () => {
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
    await shows(page.getByText('127.0.0.1:9464', { exact: true }));
    await shows(page.getByText('An address that receiptd listens on.'));
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('the consequences of a change are counted before it is saved, and it can be undone', async () => {
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
    await shows(page.getByText(/^Changed here at .*Uploads at once/));
    expect(agent.text).not.toBe(before);
    await page.getByRole('button', { name: 'Undo' }).click();
    await announced(page, 'The last change was undone.');
    expect(agent.text).toBe(before);
  });
});
