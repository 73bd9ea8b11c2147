import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';
import { KEYS } from '../support/conversation.ts';
import { terminalIsHere } from '../support/terminal.ts';
import { OFFICE } from './support/agent.ts';
import { ordinaryUserCanRun, quickly } from './support/commandLine.ts';
import { SECRET, desk, runsServices, type Desk } from './support/desk.ts';

/** Options that answer all questions before the tested one. */
function answered({ sandbox, scans }: Desk) {
  return {
    service: ['--base-url', sandbox.url],
    id: ['--client-id', 'e2e'],
    secret: { RECEIPTD_SETUP_CLIENT_SECRET: SECRET },
    endpoint: ['--endpoint-uid', OFFICE],
    folder: ['--folder', scans],
    rest: ['--rate', '60/min', '--service', 'no', '--alert-email', 'none', '--needs-attention', 'none'],
  };
}

describe.skipIf(!terminalIsHere)('receiptd setup in a terminal', () => {
  test('leads from nothing to a receipt at the service, on a narrow terminal without colours', async () => {
    const here = await desk();
    const { dir, sandbox } = here;
    const env = { LANG: 'C', LC_ALL: 'C', NO_COLOR: '1' };
    const terminal = here.setup([], { columns: 40, env });
    await terminal.chooses('Where should the receipts go?', 'To our receipt analysis');
    await terminal.answers('Address of the service:', 'ftp://nowhere');
    await terminal.sees('Please enter');
    terminal.type(KEYS.clear);
    // The address as in a letter, with the version at its end.
    await terminal.answers('', `${sandbox.url}/v2`);
    await terminal.answers('Client identifier:', 'e2e');
    await terminal.answers('Client secret:', 'wrong');
    await terminal.sees('rejected these credentials');
    await terminal.sees('(2 of 3)');
    await terminal.answers('Client identifier:');
    await terminal.answers('Client secret:', SECRET);
    await terminal.sees('The service accepts them: Sandbox Company.');
    await terminal.chooses('Which endpoint?', 'I have the uid');
    await terminal.answers('Its uid:', OFFICE);
    await terminal.chooses('Which folder do the scans arrive in?', 'Another folder');
    await terminal.answers('Path of the folder', 'Büro 1/in box');
    await terminal.answers('does not exist. Create it?', 'y');
    await terminal.answers('Show people at the scanner');
    await terminal.answers('How many receipts may be sent, at most?', '30');
    await terminal.answers('E-mail address for alerts (Enter: none):');
    if (runsServices) await terminal.answers('Install receiptd as a service', 'n');
    else await terminal.sees('No service can be');
    await terminal.answers('Send a test receipt', 'y');
    await terminal.answers('Go ahead?');
    await terminal.sees('accepted (service: PROCESSING)');
    expect(await terminal.ends()).toBe(0);

    const folder = join(dir, 'Büro 1/in box');
    expect(await here.settings()).toMatchObject({
      service: { baseUrl: sandbox.url },
      endpoints: { office: { uid: OFFICE } },
      folders: [{ path: folder, endpoint: 'office' }],
      delivery: { rate: '30/min' },
    });
    const [received, ...others] = sandbox.received();
    expect(received?.name).toMatch(/^receiptd-test-/);
    expect(received?.endpointUid).toBe(OFFICE);
    expect(others).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
    expect(terminal.raw).not.toContain(SECRET);
    // No colours, and only characters that a terminal without UTF-8 can show.
    expect(terminal.colours()).toEqual([]);
    const own = terminal.shown.replace(/^ *answer .*$/gm, '').replaceAll('ü', '');
    expect(own.match(/[^ -~\r\n]/g)).toBeNull();
  });

  test('offers a practice service, an agent and a receipt to people without a service, in their language', async () => {
    const here = await desk();
    const env = { LANG: 'de_DE.UTF-8' };
    // Nobody is asked about alerts, or about files that can't be sent, of a practice service.
    const args = ['--sandbox-port', '0', '--rate', '60/min', '--service', 'no'];
    const terminal = here.setup(args, { env });
    await terminal.chooses('Wohin gehen die Belege?', 'Noch nirgendwohin: erst ausprobieren');
    await terminal.sees('Der Übungsdienst läuft unter http://127.0.0.1:');
    await terminal.chooses('In welchem Ordner kommen die Scans an?', here.scans);
    // Enter sends a test receipt, since the practice service is harmless.
    await terminal.answers('Zur Probe einen Beleg senden?');
    await terminal.answers('Einverstanden?');
    await terminal.sees('angenommen (Dienst: PROCESSING)');
    expect(terminal.shown).toContain('Verbindung: nicht verschlüsselt (http), innerhalb dieses Rechners');
    await terminal.sees('receiptd sandbox --port');
    await terminal.sees('Gesendet wird, bis Sie es beenden oder das Fenster schließen.');
    expect(await terminal.ends()).toBe(0);
    const rows = await here.site.list();
    expect(rows).toMatchObject([{ state: 'accepted', path: expect.stringContaining(here.scans) as string }]);
  });

  test('goes back with Esc, and lets each answer be changed before anything happens', async () => {
    const here = await desk();
    const { service, folder, rest } = answered(here);
    const terminal = here.quickSetup([...service, ...folder, ...rest.slice(2), '--test-receipt']);
    await terminal.answers('Client identifier:', 'nobody');
    await terminal.sees('Client secret:');
    terminal.type(KEYS.escape);
    await terminal.sees('Client identifier:');
    terminal.type(KEYS.clear);
    await terminal.answers('', 'e2e');
    await terminal.answers('Client secret:', SECRET);
    await terminal.chooses('Which endpoint?', 'I have the uid');
    await terminal.answers('Its uid:', OFFICE);
    await terminal.answers('How many receipts may be sent, at most?', '30');
    await terminal.chooses('Go ahead?', 'Change an answer');
    await terminal.chooses('Which answer?', 'How many receipts may be sent, at most?');
    await terminal.sees('* Which answer? How many receipts may be sent, at most?');
    await terminal.answers('How many receipts may be sent, at most?', '20');
    await terminal.sees('20/min');
    await terminal.answers('Go ahead?');
    expect(await terminal.ends()).toBe(0);
    expect(await here.settings()).toMatchObject({
      endpoints: { office: { uid: OFFICE } },
      folders: [{ path: here.scans }],
      delivery: { rate: '20/min' },
    });
  });

  test('offers the current settings when it is repeated, and changes nothing', async () => {
    const here = await desk();
    const { service, id, secret, endpoint, folder, rest } = answered(here);
    const first = [
      'setup',
      '--yes',
      '--config',
      here.config,
      ...service,
      ...id,
      ...endpoint,
      ...folder,
      ...rest,
    ];
    here.site.env = { ...here.env, ...secret };
    expect((await quickly(here.site, first)).status).toBe(0);
    const own = `# ours\n${await readFile(here.config, 'utf8')}`;
    await writeFile(here.config, own);
    const terminal = here.quickSetup();
    await terminal.sees('everything else stays');
    await terminal.answers('Address of the service:');
    await terminal.sees('(file): Sandbox Company');
    await terminal.answers('Keep them?');
    await terminal.chooses('Which endpoint?', 'Keep office');
    await terminal.chooses('Which folder do the scans arrive in?', here.scans);
    await terminal.answers('Show people at the scanner');
    await terminal.answers('How many receipts may be sent, at most?');
    await terminal.answers('E-mail address for alerts (Enter: none):');
    if (runsServices) await terminal.answers('Install receiptd as a service', 'n');
    else await terminal.sees('No service can be');
    await terminal.answers('Send a test receipt', '');
    await terminal.answers('Go ahead?');
    await terminal.sees('Everything is set up already; nothing was changed.');
    expect(await terminal.ends()).toBe(0);
    expect(await readFile(here.config, 'utf8')).toBe(own);
  });

  test('sends no backlog without consent, and states its size', async () => {
    const here = await desk();
    const { service, id, secret, endpoint, folder, rest } = answered(here);
    for (let number = 1; number <= 3; number += 1) {
      const bytes = drawTestReceipt({ number, at: '2026-01-31 08:30' });
      await writeFile(join(here.scans, `SCAN000${number}.png`), bytes);
    }
    const args = [...service, ...id, ...endpoint, ...folder, ...rest, '--test-receipt'];
    const terminal = here.quickSetup(args, secret);
    await terminal.sees('3 files, the newest SCAN000');
    await terminal.chooses('What about files already in the folder?', 'Leave them');
    await terminal.answers('Go ahead?');
    expect(await terminal.ends()).toBe(0);
    expect(here.sandbox.received().map(({ name }) => name)).toEqual([
      expect.stringMatching(/^receiptd-test-/),
    ]);
    expect((await readdir(here.scans)).sort()).toEqual(['SCAN0001.png', 'SCAN0002.png', 'SCAN0003.png']);
  });

  test('ends after three wrong secrets, and stores nothing', async () => {
    const here = await desk();
    const terminal = here.quickSetup([...answered(here).service]);
    for (const time of ['(2 of 3)', '(3 of 3)', null]) {
      await terminal.answers('Client identifier:', time === '(2 of 3)' ? 'e2e' : '');
      await terminal.answers('Client secret:', 'wrong');
      if (time !== null) await terminal.sees(time);
    }
    await terminal.sees('Nothing was changed.');
    await terminal.sees('[CREDENTIALS_REFUSED]');
    expect(await terminal.ends()).toBe(1);
    expect((await readdir(here.dir)).sort()).toEqual(['home', 'sandbox']);
  });

  test('can postpone the check of an unreachable service', async () => {
    const here = await desk();
    await here.sandbox.close();
    const { service, folder, rest } = answered(here);
    const terminal = here.quickSetup([...service, ...folder, ...rest]);
    await terminal.answers('Client identifier:', 'e2e');
    await terminal.answers('Client secret:', SECRET);
    await terminal.sees('[SERVICE_UNREACHABLE]');
    await terminal.chooses('The credentials could not be checked.', 'Try again');
    await terminal.sees('[SERVICE_UNREACHABLE]');
    await terminal.chooses('The credentials could not be checked.', 'Continue, and check later');
    // No endpoint can be created there now.
    await terminal.answers('Its uid:', OFFICE);
    await terminal.answers('Send a test receipt', 'n');
    await terminal.sees('(not checked)');
    await terminal.answers('Go ahead?');
    expect(await terminal.ends()).toBe(0);
    expect(await here.settings()).toMatchObject({ endpoints: { office: { uid: OFFICE } } });
  });

  test.skipIf(!ordinaryUserCanRun)('reports an unreadable folder, and asks for another one', async () => {
    const here = await desk();
    const { service, id, secret, endpoint, rest } = answered(here);
    const closed = join(here.dir, 'closed');
    await mkdir(closed);
    await here.giveAway();
    await chmod(closed, 0);
    const how = { env: secret, ordinary: true };
    const terminal = here.setup([...service, ...id, ...endpoint, ...rest], how);
    await terminal.chooses('Which folder do the scans arrive in?', 'Another folder');
    await terminal.answers('Path of the folder', 'closed');
    await terminal.sees('[FOLDER_UNREADABLE]');
    await terminal.chooses('Which folder do the scans arrive in?', here.scans);
    await terminal.answers('Send a test receipt', 'y');
    // Setup reports that no keychain answers.
    await terminal.sees("because the keychain can't be used here");
    await terminal.answers('Go ahead?');
    await terminal.sees('accepted (service: PROCESSING)');
    expect(await terminal.ends()).toBe(0);
  });
});
