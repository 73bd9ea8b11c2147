/** What an entry of the journal says, event by event: an admission names a document and records its file. */
import type { Entry } from './journal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads the entries of one chain in their order. A number below 2^32 is an entry of the same chain. */
export class Events {
  readonly #base: number;
  readonly #endpoints = new Map<number, { readonly baseUrl: string; readonly uid: string }>();
  readonly #folders = new Map<number, string>();

  constructor(base = 0) {
    this.#base = base;
  }

  static of(entries: readonly Entry[], base = 0): Entry[] {
    const events = new Events(base);
    return entries.flatMap((entry) => events.read(entry));
  }

  read<E extends Entry>(entry: E): E[] {
    return this.#read(entry) as E[];
  }

  #read(entry: Entry): Entry[] {
    const all: Fields = { ...entry.facts, ...entry.personal };
    const own = this.#id(entry.seq);
    const ref = (value: unknown): number | null => (typeof value === 'number' ? this.#id(value) : null);
    const refs = (value: unknown): unknown => (Array.isArray(value) ? value.map(ref) : value);
    const said = (kind: string, facts: Fields): Entry => ({ ...entry, kind, facts, personal: null });
    switch (entry.kind) {
      case 'endpoint':
        this.#endpoints.set(all['endpoint'] as number, all as { baseUrl: string; uid: string });
        return [];
      case 'recorded':
        return [said('endpoint', { ...all, endpoint: this.#endpoints.get(all['endpoint'] as number) })];
      case 'folder':
        this.#folders.set(all['folder'] as number, String(all['place']));
        return [];
      case 'watched':
      case 'placed':
        return [said(entry.kind, { ...all, folder: this.#folder(all) })];
      case 'originals': {
        const stays = Math.max(0, ...(all['stays'] as [number, number][]).map(([, to]) => to));
        return [said('originals', { ...all, folder: this.#folder(all), stays })];
      }
      case 'admitted':
        return this.#admitted(own, all, said);
      case 'file':
        return this.#file(own, { ...all, document: ref(all['document']) }, said);
      case 'gone':
        return [said('gone', { sightings: refs(all['files']) })];
      case 'began':
        return [said('began', { ...all, attempt: own, document: ref(all['document']) })];
      case 'ended': {
        const { state, outcome, http, said: message } = all;
        const document = ref(all['document']);
        const ended = { attempt: ref(all['attempt']), document, outcome, httpStatus: http ?? null, message };
        const moved = { reason: null, ...all, documents: [document] };
        return [said('ended', ended), ...(state === undefined ? [] : [said('moved', moved)])];
      }
      case 'moved':
        return [said('moved', { reason: null, ...all, documents: refs(all['documents']) })];
      case 'disposing':
        return [said('disposing', { sighting: ref(all['file']), how: all['how'] ?? null })];
      case 'disposed':
        return [said('disposed', { ...all, sighting: ref(all['file']) })];
      case 'result':
        return [said('result', { status: null, ...all, result: own, document: ref(all['document']) })];
      case 'hold':
      case 'released':
        return all['paused'] === true ? [said(entry.kind === 'hold' ? 'paused' : 'resumed', all)] : [];
      case 'dismissed':
      case 'undismissed':
      case 'erased':
        return [
          said(entry.kind, { ...all, documents: refs(all['documents']), sightings: refs(all['files']) }),
        ];
      case 'row':
        return this.#row(
          String(all['table']),
          { ...(all['row'] as Fields), ...(all['own'] as Fields) },
          said,
        );
      case 'same':
        return [];
      default:
        return [entry];
    }
  }

  #id(number: number): number {
    return number < 2 ** 32 ? number + this.#base : number;
  }

  #folder(all: Fields): string {
    return this.#folders.get(all['folder'] as number) ?? '';
  }

  #admitted(id: number, all: Fields, said: (kind: string, facts: Fields) => Entry): Entry[] {
    const endpoint = this.#endpoints.get(all['endpoint'] as number);
    const lane = all['priority'] === 0 ? 'fresh' : 'backlog';
    const named = { ...all, document: id, endpoint, lane, line: 0, folder: this.#folder(all) };
    const file = { ...all, verdict: 'document', document: id };
    return [said('named', named), ...(all['isCopy'] === true ? [] : this.#file(id, file, said))];
  }

  #file(id: number, all: Fields, said: (kind: string, facts: Fields) => Entry): Entry[] {
    const { again, supersedes, page, pages, into, isGone } = all as Readonly<
      Record<string, number | undefined>
    >;
    const sighting = again === undefined ? id : this.#id(again);
    const before = again ?? supersedes;
    const sighted = {
      document: null,
      sha256: null,
      policy: null,
      reason: null,
      ...all,
      sighting,
      supersedes: before === undefined ? null : this.#id(before),
      folder: this.#folder(all),
      ...(page !== undefined && { file: this.#id(page) }),
      ...(pages !== undefined && { pages, into: into === undefined ? null : this.#endpoints.get(into) }),
    };
    const isAway = isGone !== undefined && again === undefined;
    return [said('sighted', sighted), ...(isAway ? [said('gone', { sightings: [sighting] })] : [])];
  }

  /** A snapshot's row says what its entries said. */
  #row(table: string, row: Fields, said: (kind: string, facts: Fields) => Entry): Entry[] {
    const id = row['id'] as number;
    switch (table) {
      case 'endpoints':
        this.#endpoints.set(id, { baseUrl: String(row['base_url']), uid: String(row['uid']) });
        return [];
      case 'folders':
        this.#folders.set(id, String(row['path']));
        return [];
      case 'documents': {
        const { endpoint_id: endpoint, folder_id: folder, state, reason = null, status = null } = row;
        const named = this.#admitted(id, { ...row, endpoint, folder, isCopy: true }, said);
        return [...named, said('moved', { documents: [id], state, reason, status })];
      }
      case 'files': {
        const {
          folder_id: folder,
          document_id: document = null,
          dir,
          name,
          gone_at: isGone,
          file_id: page,
        } = row;
        const path = typeof dir === 'string' && dir !== '' ? `${dir}/${String(name)}` : name;
        const { pages, split_into: into } = row;
        const file = { ...row, folder, document, path, isGone, page, pages, into };
        return this.#file(id, file, said);
      }
      case 'attempts': {
        const { document_id: document, bytes, ended_at, outcome, http = null } = row;
        const began = said('began', { attempt: id, document, bytes });
        return ended_at === undefined
          ? [began]
          : [began, said('ended', { attempt: id, document, outcome, httpStatus: http })];
      }
      case 'results':
        return [said('result', { ...row, result: id, document: row['document_id'] ?? null })];
      default:
        return [];
    }
  }
}
