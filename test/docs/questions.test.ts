import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IMAGE_TYPES } from '../../src/core/domain/imageType.ts';
import { statusesOf } from '../../src/texts/answers.ts';
import { systemUnit } from '../../src/features/os-service/systemd/unit.ts';
import { anAgent } from '../features/os-service/agents.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const read = (page: string) => readFile(join(DOCS, page), 'utf8');
const index = await read('README.md');

/**
 * What admins ask, and the page and heading with the answer. Each was looked for from docs/README.md alone: its table leads
 * to the page in one step, and the heading stands there.
 */
const QUESTIONS: readonly (readonly [question: string, page: string, heading: string, answer: string])[] = [
  ['How do I install it on Debian?', 'install.md', 'The Debian package', 'apt install'],
  ['How do I try it without a service?', 'setup.md', 'Practise first', 'receiptd setup --sandbox'],
  ['How do I roll it out to thirty PCs?', 'setup.md', 'Set up many machines', '--yes'],
  ['How does it start with the machine?', 'service.md', 'Run as a service', 'receiptd service install'],
  ['Is it safe to kill it?', 'service.md', 'Stop, restart, kill', 'Nothing needs repair'],
  ['How do I add a second folder?', 'folders.md', 'Add a folder', 'existing: skip'],
  ['The scans move to another disk: what now?', 'folders.md', 'Move or rename a folder', 'sent twice'],
  [
    'Two scanners write to one share: is that safe?',
    'folders.md',
    'Several scanners in one folder',
    'recursive',
  ],
  ['The agent was off all weekend: what of the scans?', 'service.md', 'Stop, restart, kill', 'next start'],
  ['Why is my scan not even listed?', 'troubleshooting.md', 'A file is not listed', '`recursive: true`'],
  ['How do I back up every night?', 'backup.md', 'Every night', 'cron.d'],
  ['What may I delete when the disk is full?', 'troubleshooting.md', 'The disk is full', '`spool`'],
  ['Which ports and connections does it need?', 'security.md', 'Security and privacy', '443'],
  ['Where is the log?', 'troubleshooting.md', 'The log', 'receiptd service logs'],
  ['How do I roll out fifty PCs with one ledger?', 'fleet.md', 'Set up', '--service system'],
  ['Why is my share "unreachable"?', 'folders.md', 'Network shares', '15 s'],
  ['The secret was changed: what now?', 'credentials.md', 'Replace a secret', 'receiptd login'],
  ['How do I send at night only?', 'limits.md', 'Limits', '`hours`'],
  ['Are my scans deleted?', 'originals.md', 'What happens to originals', 'afterUpload: keep'],
  ['How do I archive what was sent?', 'originals.md', 'Archive or delete originals', 'afterUpload: archive'],
  ['A receipt is "unconfirmed": what do I do?', 'documents.md', 'States', '`unconfirmed`'],
  ['How do I send a receipt again?', 'documents.md', 'Send something again', 'receiptd resend'],
  ['Nothing is sent: why?', 'troubleshooting.md', 'Holds', 'receiptd status'],
  ['What do I send to support?', 'troubleshooting.md', '`doctor`', 'receiptd doctor'],
  ['How do I get a mail when it breaks?', 'alerts.md', 'Alerts', 'receiptd alerts test'],
  ['How do I open the console from my desk?', 'console.md', 'Over SSH', 'ssh -L'],
  ['How do I move to a new PC?', 'backup.md', 'Moving to another PC', 'receiptd backup --final'],
  ['How do I upgrade?', 'upgrading.md', 'How', 'apt install'],
  ['How do I go back to the old version?', 'upgrading.md', 'Going back', 'receiptd restore'],
  ['How do I erase a person’s receipts?', 'security.md', 'Erase personal data', 'receiptd erase'],
  ['May a colleague use it without root?', 'security.md', 'Admins who are not root', 'groupadd'],
  ['Was every receipt of Monday sent?', 'commands.md', '`audit`', '--day'],
  ['How do I undo a change of the settings?', 'change-settings.md', 'Undo a change', 'config-history'],
  ['How do I send one file from elsewhere?', 'documents.md', 'Send a single file', 'receiptd send'],
  ['Can it split a PDF of twenty receipts?', 'pages.md', 'PDFs, many pages, phones', 'pages: whole'],
  ['Does it tell me when a scanner is dead?', 'silent-scanner.md', 'A scanner that goes silent', '`auto`'],
  ['Who tells people what was not sent?', 'needs-attention.md', 'What people at the scanner see', 'why.txt'],
  ['How does it reach the service by a proxy?', 'setup.md', 'A proxy', 'proxy: http'],
  ['The disk is full: what now?', 'troubleshooting.md', 'The disk is full', 'Free some space'],
  ['Two PCs watch one share: is that safe?', 'folders.md', 'Two agents on one folder', 'TAKEN_ELSEWHERE'],
  ['How do I monitor it with Prometheus?', 'metrics.md', 'Metrics and health', '`/metrics`'],
  ['How do fifty machines share one list?', 'fleet.md', 'Set up', 'createdb'],
  ['How do I filter by amount?', 'results.md', 'Values as columns', '--where'],
];

/** What stands below a heading, up to the next one of the same rank or a higher one. */
function sectionOf(text: string, heading: string): string {
  // A comment in a shell block is no heading.
  const from = text.replace(/^ *```.*?^ *```/gms, (block) => block.replace(/^#/gm, ' #')).split('\n');
  const at = from.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (at < 0) throw new Error(`No heading "${heading}"`);
  const rank = /^#+/.exec(from[at] ?? '')?.[0].length ?? 0;
  const after = from.slice(at + 1);
  const end = after.findIndex((line) => /^#+ /.test(line) && (/^#+/.exec(line)?.[0].length ?? 0) <= rank);
  return (end < 0 ? after : after.slice(0, end)).join('\n');
}

describe('the questions of an admin', () => {
  it.each(QUESTIONS)('%s', async (_, page, heading, answer) => {
    expect(sectionOf(await read(page), heading)).toContain(answer);
    expect(index).toContain(`(${page}`);
  });

  it('would notice a heading that was renamed', async () => {
    const text = await read('backup.md');
    expect(() => sectionOf(text, 'Moving to another computer')).toThrow('No heading');
  });
});

it('docs/README.md leads to every page', async () => {
  const pages = (await readdir(DOCS)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(pages.filter((page) => !index.includes(`(${page}`))).toEqual([]);
});

it('docs/service.md shows the unit that is installed', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/service.md'), 'utf8');
  const [, shown] = /```ini\n(# Made by .*?)```/s.exec(text) ?? [];
  expect(shown).toBe(systemUnit(anAgent({ command: ['/usr/bin/receiptd'] }), 'receiptd'));
});

it('docs/troubleshooting.md names every status that puts an endpoint on hold', async () => {
  const rows = (await read('troubleshooting.md'))
    .split('\n')
    .filter((line) => line.startsWith('| an endpoint '));
  const named = rows
    .join()
    .match(/\b\d{3}\b/g)
    ?.toSorted();
  const statuses = (['slowDown', 'forbidden', 'endpointUnknown'] as const).flatMap(statusesOf);
  expect(named).toEqual(statuses.toSorted());
});

it('README names every type of image', async () => {
  const readme = await read('../README.md');
  expect(IMAGE_TYPES.filter((type) => !new RegExp(`\\b${type}\\b`, 'i').test(readme))).toEqual([]);
});
