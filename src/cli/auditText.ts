import { join } from 'node:path';
import { CATEGORIES, type Category, type FileTally } from '../features/audit/accounting.ts';
import type { CliTexts } from '../texts/cli.ts';
import { adviceOn, problemOf } from './auditAdvice.ts';
import type { Audit, AuditedFolder } from './auditResult.ts';
import { colorsFor, print, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { messageOf } from './language.ts';
import type { Texts } from '../texts/texts.ts';
import { messageText } from '../core/domain/why.ts';

const WAITING = ['queued', 'uploading', 'held', 'unconfirmed', 'incomplete', 'unreadable'] as const;

/** `shared`: of the same language, for what the agent found. */
export function printAudit(io: Io, audit: Audit, shared: Texts): void {
  const colors = colorsFor(io, io.stdout);
  const { texts } = io;
  const { audit: words } = texts;
  const { day, folders, total, check, head, at } = audit;
  print(io, day === null ? words.title(at) : words.titleOfDay(day, at));
  for (const folder of folders) {
    print(io);
    print(io, colors.bold(escapeUnsafe(folder.path)));
    for (const line of tallyLines(folder.tally, texts)) print(io, line);
    for (const line of nowLines(folder, day, words)) print(io, `  ${line}`);
  }
  if (folders.length > 1) {
    print(io);
    print(io, colors.bold(words.total(folders.length)));
    for (const line of tallyLines(total, texts)) print(io, line);
  }
  const unaccounted = folders.flatMap(({ path, now }) =>
    (now?.unaccounted ?? []).map((each) => ({ ...each, file: join(path, each.path) })),
  );
  if (unaccounted.length > 0) {
    print(io);
    print(io, colors.red(words.unaccounted));
    for (const each of unaccounted) {
      const said = `${problemOf(texts, each)} ${adviceOn(texts, each, audit.agentRuns)}`;
      print(io, escapeUnsafe(`  ${each.file}: ${said}`));
    }
  }
  const hidden = folders.flatMap(({ path, now }) =>
    (now?.notLookedAt ?? []).map((each) => ({ ...each, file: join(path, each.path) })),
  );
  if (hidden.length > 0) {
    print(io);
    print(io, colors.yellow(words.unchecked));
    for (const each of hidden)
      print(io, escapeUnsafe(`  ${each.file}: ${messageOf(shared, each)} ${words.makeReadable}`));
  }
  print(io);
  for (const line of checkLines(audit, words, shared)) print(io, escapeUnsafe(line));
  print(io, head === null ? words.noJournal : words.journal(head));
  print(io);
  const color = { complete: colors.green, incomplete: colors.yellow, unaccounted: colors.red }[audit.verdict];
  const verdict = verdictOf(audit, words, {
    unaccounted: unaccounted.length,
    hidden: hidden.length,
    differences: check.differences.length,
  });
  print(io, color(escapeUnsafe(verdict)));
}

function tallyLines(tally: FileTally, texts: Pick<CliTexts, 'audit' | 'format'>): string[] {
  const { rows, meanings } = texts.audit;
  const { number } = texts.format;
  const named = Math.max(...Object.values(rows).map(({ length }) => length));
  const width = number(tally.seen).length;
  const line = (name: string, value: number, meaning: string): string =>
    `  ${name.padEnd(named)}  ${number(value).padStart(width)}${value === 0 ? '' : `  ${meaning}`}`;
  return [
    ...CATEGORIES.map((category) =>
      line(rows[category], tally.by[category], meaningOf(category, tally, texts)),
    ),
    `  ${'─'.repeat(named + 2 + width)}`,
    line(rows.seen, tally.seen, meanings.seen),
  ];
}

function meaningOf(
  category: Category,
  { waiting }: FileTally,
  { audit: words, format: { number } }: Pick<CliTexts, 'audit' | 'format'>,
): string {
  if (category !== 'waiting') return words.meanings[category];
  const parts = WAITING.flatMap((state) => {
    const value = waiting[state] ?? 0;
    return value > 0 ? [`${number(value)} ${words.waiting[state]}`] : [];
  });
  return parts.join(', ');
}

function nowLines({ now, tally }: AuditedFolder, day: string | null, words: CliTexts['audit']): string[] {
  if (now === null) return [words.former];
  if (now.notLookedAt.some(({ path }) => path === '')) return [words.unreadable];
  const { listed, known, excluded, links } = now;
  const agree = listed === known ? words.allKnown(listed) : words.someKnown(listed, known);
  return [
    listed === 0 ? words.empty : agree,
    ...(day === null && tally.seen > listed ? [words.left] : []),
    ...(excluded > 0 ? [words.excluded(excluded)] : []),
    ...(links > 0 ? [words.links(links)] : []),
  ];
}

function checkLines({ check }: Audit, words: CliTexts['audit'], shared: Texts): string[] {
  const { documents, sentElsewhere, settled, differences } = check;
  if (differences.length > 0)
    return [words.differences, ...differences.map((each) => messageText(shared, each))];
  if (!settled) return [words.unsettled];
  const elsewhere = sentElsewhere === 0 ? '' : ` ${words.sentElsewhere(sentElsewhere)}`;
  return [`${words.recounted(documents)}${elsewhere}`];
}

function verdictOf(
  { verdict, folders, total, day }: Audit,
  words: CliTexts['audit'],
  found: { readonly unaccounted: number; readonly hidden: number; readonly differences: number },
): string {
  const [only] = folders;
  const place = folders.length === 1 && only ? only.path : words.folders(folders.length);
  const where = day === null ? place : words.onDay(place, day);
  const person = total.by.failed + total.by.lost + (total.waiting.unconfirmed ?? 0);
  const also = person === 0 ? '' : ` ${words.person(person)}`;
  switch (verdict) {
    case 'complete':
      return total.seen === 0 ? words.noneSeen(where) : `${words.allAccounted(total.seen, where)}${also}`;
    case 'incomplete':
      return found.hidden === 0 ? words.changed : words.hidden(found.hidden);
    case 'unaccounted':
      return found.unaccounted === 0
        ? words.contradicts(found.differences)
        : words.notAccounted(found.unaccounted, place);
  }
}
