import type {
  DisposeItem,
  Done,
  FolderItem,
  GoneItem,
  NoteItem,
  SplitAnswer,
  SplitEndItem,
  SplitItem,
} from '../../core/messages.ts';
import { toMessage } from '../../core/domain/why.ts';
import { CHAIN, type EntryOf, type Range, endpointIdOf, folderIdOf } from '../entries.ts';
import { pathOf, type FileRow } from '../schema.ts';
import type { Work } from '../work.ts';
import { fileOf, same, seenAs } from './admit.ts';
import { CurrentFiles, makePlaces } from './places.ts';

/** Verdicts on files that are not, or not yet, documents. */
export async function note(work: Work, items: readonly NoteItem[]): Promise<readonly Done[]> {
  const current = new CurrentFiles(work);
  await Promise.all([makePlaces(work, items), current.find(items)]);
  return items.map((item) => {
    const { verdict, reason, message, policy, sha256, page, at } = item;
    const before = current.at(item);
    if (before !== undefined && item.unlessSent === true && isSent(before, item)) return { isDone: false };
    // A page that is a document is not taken back.
    if (before !== undefined && page !== undefined && before.verdict !== 'rejected') return { isDone: false };
    const seen = seenAs(work, item, before, null);
    const of = { verdict, sha256: sha256 ?? hashThatStands(before, item), policy, reason, message };
    current.set(item, fileOf(work, seen, work.add({ kind: 'file', ...seen, ...of }, at)));
    return { isDone: true };
  });
}

/** Skipped files get their hash later; another look at the same metadata does not take it away. */
function hashThatStands(before: FileRow | undefined, { verdict, size, identity }: NoteItem): string | null {
  const isSame = before?.size === size && before.identity === identity;
  return verdict === 'skipped' && isSame ? before.sha256 : null;
}

function isSent(before: FileRow, { size, identity }: NoteItem): boolean {
  if (before.document_id === null && before.verdict !== 'split') return false;
  return before.size === size && before.identity === identity;
}

export async function gone(work: Work, items: readonly GoneItem[]): Promise<readonly Done[]> {
  const current = new CurrentFiles(work);
  await current.find(items.flatMap(({ folder, paths }) => paths.map((path) => ({ folder, path }))));
  return items.map(({ folder, paths, at }) => {
    const files = paths
      .flatMap((path) => current.at({ folder, path }) ?? [])
      .filter(({ gone_at }) => gone_at === null);
    const ids = [...new Set(files)].map(({ id }) => work.ref(id));
    if (ids.length > 0) work.add({ kind: 'gone', files: ids }, at);
    return { isDone: ids.length > 0 };
  });
}

const FIRST_SEEN = `SELECT min(n.id) AS id FROM (
  SELECT * FROM (SELECT f.id FROM files f WHERE f.folder_id = :folder AND f.gone_at IS NULL AND f.disposed IS NULL AND f.document_id IS NOT NULL
    ORDER BY f.id LIMIT 1) a
  UNION ALL
  SELECT * FROM (SELECT f.id FROM files f WHERE f.folder_id = :folder AND f.gone_at IS NULL AND f.disposed IS NULL AND f.verdict = 'split'
    AND f.split_into IS NULL ORDER BY f.id LIMIT 1) b) n`;

/** What is decided about folders. */
export async function folder(work: Work, items: readonly FolderItem[]): Promise<readonly Done[]> {
  await makePlaces(work, items);
  const answers: Done[] = [];
  for (const item of items) {
    const id = folderIdOf(item.folder);
    const row = work.get('folders', id);
    const { at } = item;
    if (item.change === 'watched') work.add({ kind: 'watched', folder: id }, at);
    else if (item.change === 'placed') {
      if (row.mark !== item.mark) work.add({ kind: 'placed', folder: id, mark: item.mark }, at);
    } else if (row.rule !== item.rule) {
      const stays = item.existing === 'include' ? [] : await seenSoFar(work, id, item.existing === 'new');
      work.add({ kind: 'originals', folder: id, rule: item.rule, stays }, at);
    }
    answers.push({ isDone: true });
  }
  return answers;
}

/** Every chain up to now; in a new folder up to its first file, if that came before it was watched. */
async function seenSoFar(work: Work, folder: number, isNew: boolean): Promise<readonly Range[]> {
  const heads = await work.engine.heads();
  const [first] = isNew ? await work.ask<{ readonly id: number | null }>(FIRST_SEEN, null, { folder }) : [];
  const from = first?.id ?? null;
  return heads.map(([base, seq]) => {
    const isOfFirst = from !== null && from >= base && from < base + CHAIN;
    return [base + 1, isOfFirst ? from - 1 : base + seq];
  });
}

/* ---- Files that are split into pages ---- */

const PAGE_DOCUMENTS = `SELECT p.file_id AS file, d.state, d.endpoint_id AS endpoint FROM {rows id:int} files p JOIN documents d ON d.id = p.document_id
  WHERE p.file_id = r.id`;

/** Begins or resumes splitting files. */
export async function split(work: Work, items: readonly SplitItem[]): Promise<readonly SplitAnswer[]> {
  const current = new CurrentFiles(work);
  await Promise.all([makePlaces(work, items), current.find(items)]);
  const before = items.map((item) => current.at(item));
  const pages = await work.ask<{ readonly file: number; readonly state: string; readonly endpoint: number }>(
    PAGE_DOCUMENTS,
    before.flatMap((file) => (file?.verdict === 'split' ? [{ id: file.id }] : [])),
  );
  return items.map((item) => {
    const { sha256, isElsewhere, at } = item;
    // What says nothing about the folder replaces nothing there.
    const file = isElsewhere === true ? undefined : current.at(item);
    const endpoint = endpointIdOf(item.endpoint);
    const own = pages.filter((page) => page.file === file?.id);
    const isThere =
      file?.split_into === null
        ? own.some((page) => page.endpoint === endpoint)
        : file?.split_into === endpoint;
    if (file?.verdict === 'split' && file.sha256 === sha256 && file.disposed === null && isThere) {
      same(work, file, item);
      if (file.split_into !== null) return { split: file.id };
      if (!own.some(({ state }) => state === 'lost')) return { split: null };
    }
    const seen = seenAs(work, item, file, null);
    const of = { verdict: 'split', sha256, pages: 0, into: endpoint, message: splitMessage(0) } as const;
    const id = fileOf(work, seen, work.add({ kind: 'file', ...seen, ...of }, at));
    if (isElsewhere !== true) current.set(item, id);
    return { split: id };
  });
}

export async function endSplit(work: Work, items: readonly SplitEndItem[]): Promise<readonly Done[]> {
  await work.loadAll({ files: items.map(({ split: id }) => id) });
  return items.map(({ split: id, pages, reason, message, policy, at }) => {
    const file = work.rows.files.get(id);
    if (file?.verdict !== 'split' || file.split_into === null) return { isDone: false };
    const { folder_id, sha256, size, identity } = file;
    work.add(
      {
        kind: 'file',
        folder: folder_id,
        verdict: reason === null ? 'split' : 'rejected',
        sha256,
        size,
        again: work.ref(file.id),
        pages,
        path: pathOf(file),
        identity,
        policy,
        reason,
        message: message ?? (reason === null ? splitMessage(pages) : null),
      },
      at,
    );
    return { isDone: true };
  });
}

/* ---- Originals ---- */

export async function dispose(work: Work, items: readonly DisposeItem[]): Promise<readonly Done[]> {
  await work.loadAll({ files: items.map(({ file }) => file) });
  return items.map(({ file: id, step, how, archivedTo, seen, at }) => {
    const row = work.rows.files.get(id);
    if (row === undefined) return { isDone: false };
    const file = work.ref(row.id);
    if (step === 'begin' || step === 'cancel')
      work.add({ kind: 'disposing', file, how: step === 'begin' ? how : undefined }, at);
    else if (step === 'done') work.add(disposed(file, how ?? 'deleted', archivedTo), at);
    else {
      if (seen === undefined || row.size !== seen.size || row.identity !== seen.identity)
        return { isDone: false };
      work.add(disposed(file, 'kept', null), at);
    }
    return { isDone: true };
  });
}

function disposed(
  file: number,
  how: 'archived' | 'deleted' | 'kept',
  archivedTo: string | null | undefined,
): EntryOf<'disposed'> {
  return { kind: 'disposed', file, how, archivedTo };
}

/** Message for a file while it is being split (0 pages) and afterwards. */
function splitMessage(pages: number): string {
  return toMessage(pages === 0 ? { is: 'splitting' } : { is: 'everyPageSent', pages, attachments: 0 });
}
