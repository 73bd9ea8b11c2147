import { join } from 'node:path';
import { CATEGORIES, type Category, type Tally } from '../features/audit/accounting.ts';
import type { ListState } from '../core/ports/ledgerReports.ts';
import { adviceOn, problemOf } from './auditAdvice.ts';
import type { Audit, AuditedFolder } from './auditResult.ts';
import { count, counted, local } from '../core/domain/words.ts';
import { colorsFor, print, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

const MEANING: Readonly<Record<Exclude<Category, 'waiting'>, string>> = {
  accepted: 'accepted by the service',
  duplicate: 'identical to another image, byte for byte; not sent again',
  split: 'split into pages, each counted here as a file',
  rejected: 'not sent; `receiptd list --state rejected` says why',
  failed: 'refused by the service, or moved to another endpoint; `receiptd list --state failed` says which',
  lost: 'lost before they could be sent; scan them again',
  skipped: 'already in the folder when it was first watched or taken over from another agent; not sent',
};

const WAITING: readonly (readonly [ListState, string])[] = [
  ['queued', 'to be sent'],
  ['uploading', 'being sent now'],
  ['held', 'on hold'],
  ['unconfirmed', 'no clear answer from the service; a person has to check there'],
  ['incomplete', 'incomplete'],
  ['unreadable', 'cannot be opened'],
];

export function printAudit(io: Io, audit: Audit): void {
  const colors = colorsFor(io, io.stdout);
  const { day, folders, total, check, head, at } = audit;
  const which = day === null ? 'Files seen so far' : `Files first seen on ${day}`;
  print(io, `${which}, and what happened to them (${local(at)})`);
  for (const folder of folders) {
    print(io);
    print(io, colors.bold(escapeUnsafe(folder.path)));
    for (const line of tallyLines(folder.tally)) print(io, line);
    for (const line of nowLines(folder, day)) print(io, `  ${line}`);
  }
  if (folders.length > 1) {
    print(io);
    print(io, colors.bold(`Total of ${folders.length} folders`));
    for (const line of tallyLines(total)) print(io, line);
  }
  const unaccounted = folders.flatMap(({ path, now }) =>
    (now?.unaccounted ?? []).map((each) => ({ ...each, file: join(path, each.path) })),
  );
  if (unaccounted.length > 0) {
    print(io);
    print(io, colors.red('Not accounted for:'));
    for (const each of unaccounted)
      print(io, escapeUnsafe(`  ${each.file}: ${problemOf(each)} ${adviceOn(each, audit.agentRuns)}`));
  }
  const hidden = folders.flatMap(({ path, now }) =>
    (now?.notLookedAt ?? []).map((each) => ({ ...each, file: join(path, each.path) })),
  );
  if (hidden.length > 0) {
    print(io);
    print(io, colors.yellow('Could not be checked:'));
    for (const { file, message } of hidden)
      print(io, escapeUnsafe(`  ${file}: ${message} Make it readable, then try again.`));
  }
  print(io);
  for (const line of checkLines(audit)) print(io, escapeUnsafe(line));
  print(
    io,
    head === null
      ? 'The ledger has no journal yet.'
      : `Journal of ledger ${head.ledger}: entry ${count(head.seq)}, hash ${head.hash}`,
  );
  print(io);
  const color = { complete: colors.green, incomplete: colors.yellow, unaccounted: colors.red }[audit.verdict];
  print(
    io,
    color(escapeUnsafe(verdictOf(audit, unaccounted.length, hidden.length, check.differences.length))),
  );
}

function tallyLines(tally: Tally): string[] {
  const rows = [
    ...CATEGORIES.map((category) => [category, tally.by[category], meaningOf(category, tally)] as const),
    ['seen', tally.seen, 'the sum of the above'] as const,
  ];
  const width = count(tally.seen).length;
  const lines = rows.map(
    ([what, value, meaning]) =>
      `  ${what.padEnd(9)}  ${count(value).padStart(width)}${value === 0 ? '' : `  ${meaning}`}`,
  );
  return [...lines.slice(0, -1), `  ${'─'.repeat(9 + 2 + width)}`, ...lines.slice(-1)];
}

function meaningOf(category: Category, { waiting }: Tally): string {
  if (category !== 'waiting') return MEANING[category];
  const parts = WAITING.flatMap(([state, words]) => {
    const value = waiting[state] ?? 0;
    return value > 0 ? [`${count(value)} ${words}`] : [];
  });
  return parts.join(', ');
}

function nowLines({ now, tally }: AuditedFolder, day: string | null): string[] {
  if (now === null)
    return [
      'Not a watched folder (a former one, or files from `receiptd send`): counted from the ledger, not compared with the folder.',
    ];
  if (now.notLookedAt.some(({ path }) => path === '')) return ["The folder can't be read at the moment."];
  const { listed, known, excluded, links } = now;
  const agree =
    listed === 0
      ? 'The folder is empty now.'
      : listed === known
        ? `${counted(listed, 'file is', 'files are')} in the folder now; the ledger has ${listed === 1 ? 'it' : 'all of them'}, unchanged.`
        : `${counted(listed, 'file is', 'files are')} in the folder now; the ledger has ${count(known)} of them, unchanged.`;
  return [
    agree,
    ...(day === null && tally.seen > listed
      ? ['Files that have since left the folder (archived, deleted, moved) still count.']
      : []),
    ...(excluded > 0
      ? [
          `${counted(excluded, 'file')} in the ledger ${excluded === 1 ? 'is' : 'are'} not checked: \`include\`, \`ignore\` or \`recursive\` now exclude${excluded === 1 ? 's it' : ' them'}.`,
        ]
      : []),
    ...(links === 1
      ? ['1 symbolic link in the folder is not followed: the file behind it is neither sent nor counted.']
      : []),
    ...(links > 1
      ? [
          `${count(links)} symbolic links in the folder are not followed: the files behind them are neither sent nor counted.`,
        ]
      : []),
  ];
}

function checkLines({ check }: Audit): string[] {
  const { documents, sentElsewhere, settled, differences } = check;
  if (differences.length > 0) return ['Two ways of counting gave different numbers:', ...differences];
  if (!settled) return ['The ledger kept changing, so it could not be counted twice. Try again later.'];
  const elsewhere =
    sentElsewhere === 0
      ? ''
      : ` ${count(sentElsewhere)} of them were also sent to a second endpoint on purpose.`;
  return [
    `Recounting the whole ledger by its ${counted(documents, 'name')} instead of its files gives the same numbers.${elsewhere}`,
  ];
}

function verdictOf(
  { verdict, folders, total, day }: Audit,
  unaccounted: number,
  hidden: number,
  differences: number,
): string {
  const [only] = folders;
  const where = folders.length === 1 && only ? only.path : counted(folders.length, 'folder');
  const when = day === null ? '' : ` on ${day}`;
  const person = total.by.failed + total.by.lost + (total.waiting.unconfirmed ?? 0);
  const also =
    person === 0
      ? ''
      : ` ${count(person)} of them need${person === 1 ? 's' : ''} a person: \`receiptd list --state failed unconfirmed lost\`.`;
  switch (verdict) {
    case 'complete':
      if (total.seen === 0) return `No file was seen in ${where}${when}, so nothing is missing.`;
      return total.seen === 1
        ? `The 1 file seen in ${where}${when} is accounted for.${also}`
        : `All ${count(total.seen)} files seen in ${where}${when} are accounted for.${also}`;
    case 'incomplete':
      return hidden === 0
        ? `No file is missing so far, but this proves nothing: the ledger changed during the count.`
        : `No file is missing so far, but this proves nothing: ${counted(hidden, 'place')} could not be checked.`;
    case 'unaccounted':
      return unaccounted === 0
        ? `The ledger contradicts itself in ${counted(differences, 'place')}. Keep a copy of the state directory, then run \`receiptd ledger verify\`.`
        : `${counted(unaccounted, 'file')} in ${where} ${unaccounted === 1 ? 'is' : 'are'} NOT accounted for; ${unaccounted === 1 ? 'it is' : 'they are'} listed above.`;
  }
}
