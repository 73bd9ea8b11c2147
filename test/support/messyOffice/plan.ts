/**
 * The office that tests, benchmarks and pictures share: several folders over some weeks, with documents in every state, their
 * attempts, and the other files that people leave in folders. Determined by the seed: `record.ts` records it in a ledger,
 * `expected.ts` has the rows which that ledger must list, `layOut.ts` writes the files to a disk.
 */
import { createHash } from 'node:crypto';
import { Dice } from '../../reliability/support/dice.ts';
import { accountsAmong, credentialsKey } from '../../../src/core/domain/account.ts';
import {
  endpointId,
  type EndpointKey,
  type FileIdentity,
  type Lane,
} from '../../../src/core/domain/document.ts';
import { DEFAULT_TEMPLATE, parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { namesOf } from '../../../src/core/domain/naming.ts';
import type { Hold } from '../../../src/core/domain/hold.ts';
import { contentsOf, type Contents } from './contents.ts';
import { drawEach, OTHERS, SETTLED, WAITING, type After, type Noted } from './fates.ts';
import { drawPath } from './names.ts';
import { toMessage } from '../../../src/core/domain/why.ts';

const DAY = 24 * 60 * 60_000;
const HOUR = 60 * 60_000;
const WEEKS = 6;

export const UIDS = {
  office: '11111111-2222-4333-8444-555555555555',
  warehouse: '66666666-7777-4888-9999-aaaaaaaaaaaa',
  agency: 'b7d40e11-52aa-4b6b-9d0f-7c8e9fa0b1c2',
} as const;
type Alias = keyof typeof UIDS;

/** Folders relative to the root: their endpoint, and their percentage of the files. */
const FOLDERS = {
  'front desk': { endpoint: 'office', weight: 50 },
  'Büro München': { endpoint: 'office', weight: 20 },
  'share/月次 領収書': { endpoint: 'warehouse', weight: 10 },
  paused: { endpoint: 'office', weight: 8 },
  agency: { endpoint: 'agency', weight: 8 },
  // Removed since.
  former: { endpoint: 'office', weight: 4 },
} as const satisfies Readonly<Record<string, { readonly endpoint: Alias; readonly weight: number }>>;
type FolderName = keyof typeof FOLDERS;
const FOLDER_NAMES = Object.keys(FOLDERS) as FolderName[];
const WEIGHTS = Object.fromEntries(FOLDER_NAMES.map((name) => [name, FOLDERS[name].weight])) as Readonly<
  Record<FolderName, number>
>;

export interface OfficeOptions {
  /** Number of files of all kinds. With 200 or more, every kind occurs. */
  readonly size: number;
  readonly seed?: string | number;
  readonly baseUrl?: string;
  /** Absolute path of the parent of the folders. */
  readonly root?: string;
  /** End of the period; wall-clock milliseconds. */
  readonly until?: number;
}

/** A file that arrived, and what happened to it. */
export type Scan = Image | OtherFile;

interface Came {
  /** From 1, in order of arrival. */
  readonly number: number;
  readonly at: number;
  /** Absolute. */
  readonly folder: string;
  readonly path: string;
  readonly contents: Contents;
  readonly identity: FileIdentity;
  readonly sha256: string;
  readonly after: readonly After[];
}

export interface Image extends Came {
  readonly kind: 'image';
  readonly endpoint: EndpointKey;
  readonly name: string;
  readonly lane: Lane;
  /** The earlier image with the same bytes, whose document is listed for both; null for the first. */
  readonly duplicates: Image | null;
}

export interface OtherFile extends Came {
  readonly kind: 'file';
  readonly after: readonly Extract<After, { readonly do: 'gone' }>[];
  readonly note: Noted;
}

export interface Office {
  readonly baseUrl: string;
  readonly root: string;
  readonly until: number;
  readonly endpoints: Readonly<Record<Alias, EndpointKey>>;
  /** Absolute paths, by folder name. */
  readonly folders: Readonly<Record<FolderName, string>>;
  readonly accountOf: (endpoint: EndpointKey) => string | null;
  /** A paused folder, an endpoint on hold and an account on hold. */
  readonly holds: readonly Hold[];
  /** In order of arrival; the same each time. */
  scans(): Generator<Scan>;
}

const UNTIL = Date.UTC(2026, 10, 20, 17);

export function messyOffice(options: OfficeOptions): Office {
  const { baseUrl = 'http://127.0.0.1:9', root = '/srv/office', until = UNTIL } = options;
  const key = (alias: Alias): EndpointKey => ({ baseUrl, uid: UIDS[alias] });
  const endpoints = { office: key('office'), warehouse: key('warehouse'), agency: key('agency') };
  const folders = Object.fromEntries(
    FOLDER_NAMES.map((name) => [name, `${root}/${name}`]),
  ) as Office['folders'];
  const held = { since: until - 2 * HOUR, until: null, demandedUntil: null };
  return {
    baseUrl,
    root,
    until,
    endpoints,
    folders,
    accountOf: accountsAmong([{ key: endpoints.agency, account: 'agency' }]),
    holds: [
      { scope: 'folder', key: folders.paused, reason: 'PAUSED', message: '<b>Ärger</b>', ...held },
      {
        scope: 'endpoint',
        key: endpointId(endpoints.warehouse),
        reason: 'HTTP_403',
        message: toMessage({ is: 'uploadsForbidden', words: '' }),
        ...held,
        until: until + 24 * HOUR,
      },
      {
        scope: 'credentials',
        key: credentialsKey(baseUrl, 'agency'),
        reason: 'CREDENTIALS_REFUSED',
        message: toMessage({ is: 'newTokenRejected', words: '' }),
        ...held,
      },
    ],
    scans: () => scansOf(options, { folders, endpoints, until }),
  };
}

type Parts = Pick<Office, 'folders' | 'endpoints' | 'until'>;

/** The last files are not settled yet; enough of them that each folder has every kind. */
const WAITING_LAST = 60;
const KEPT = 200;

function* scansOf({ size, seed = 1 }: OfficeOptions, { folders, endpoints, until }: Parts): Generator<Scan> {
  const dice = Dice.of(seed, 'office');
  const template = parseTemplate(DEFAULT_TEMPLATE);
  const settled = Object.keys(SETTLED) as (keyof typeof SETTLED)[];
  const waiting = Object.keys(WAITING) as (keyof typeof WAITING)[];
  const drawn = { others: 0, settled: 0, waiting: 0 };
  // Images that may get duplicates: accepted, and still in their folder.
  const kept: Image[] = [];
  const times = timesOf(size, until, dice);
  for (let number = 1; number <= size; number += 1) {
    const at = times(number);
    const isLast = number > size - WAITING_LAST;
    const what = isLast ? 'image' : dice.weighted({ image: 84, copy: kept.length > 0 ? 6 : 0, other: 10 });
    if (what === 'other') {
      const fate = OTHERS[drawn.others++ % OTHERS.length] as (typeof OTHERS)[number];
      const folder = folders[dice.weighted(WEIGHTS)];
      const path = drawPath(dice, number, fate.ending);
      const file = came({ number, at, folder, path, contents: fate.contents, of: number });
      const { isHashed = false, isGone = false } = fate;
      yield {
        ...file,
        kind: 'file',
        // Spreading the note loses its union type; its fields still belong together.
        note: { ...fate.note, sha256: isHashed ? file.sha256 : null, policy: null } as Noted,
        after: isGone ? [{ do: 'gone', at: at + HOUR }] : [],
      };
      continue;
    }
    const path = drawPath(dice, number, '.jpg');
    if (what === 'copy') {
      const duplicates = dice.pick(kept);
      const { endpoint, name, lane } = duplicates;
      const folder =
        endpoint === endpoints.office
          ? folders[dice.pick(['front desk', 'Büro München'] as const)]
          : duplicates.folder;
      const of = duplicates.number;
      yield {
        ...came({ number, at, folder, path, contents: 'image', of }),
        kind: 'image',
        endpoint,
        name,
        lane,
        duplicates,
        after: [],
      };
      continue;
    }
    const folderName = dice.weighted(isLast ? { ...WEIGHTS, former: 0 } : WEIGHTS);
    const folder = folders[folderName];
    const endpoint = endpoints[FOLDERS[folderName].endpoint];
    const file = came({ number, at, folder, path, contents: 'image', of: number });
    const fate = isLast
      ? WAITING[waiting[drawn.waiting++ % waiting.length] as keyof typeof WAITING]
      : SETTLED[dice.chance(0.75) ? 'accepted' : drawEach(dice, settled, drawn.settled++)];
    const date = new Date(at);
    const hash = file.sha256;
    const context = {
      folder,
      path,
      hash,
      host: 'pc',
      endpoint: folderName,
      date,
      captured: date,
      maxBytes: 255,
    };
    const [name = ''] = namesOf(template.naming(context), 1);
    const image: Image = {
      ...file,
      kind: 'image',
      endpoint,
      name,
      lane: number % 5 === 0 ? 'backlog' : 'fresh',
      duplicates: null,
      after: fate(at),
    };
    if (fate === SETTLED.accepted) kept[kept.length < KEPT ? kept.length : number % KEPT] = image;
    yield image;
  }
}

interface Coming extends Pick<Came, 'number' | 'at' | 'folder' | 'path' | 'contents'> {
  /** Number of the file that determines its bytes. */
  readonly of: number;
}

function came({ of, ...file }: Coming): Omit<Came, 'after'> {
  const bytes = contentsOf(file.contents, of);
  const ns = BigInt(file.at) * 1_000_000n;
  const identity = { size: bytes.length, mtimeNs: ns, ctimeNs: ns, inode: BigInt(file.number) };
  return { ...file, identity, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Times within working hours on weekdays; several files arrive at the same moment, as from a scanner. */
function timesOf(size: number, until: number, dice: Dice): (number: number) => number {
  const days = Array.from({ length: WEEKS * 7 }, (_, n) => until - (WEEKS * 7 - n) * DAY).filter(
    (day) => ![0, 6].includes(new Date(day).getUTCDay()),
  );
  let last = 0;
  return (number) => {
    const through = ((number - 1) / size) * days.length;
    const day = days[Math.floor(through)] as number;
    const at = Math.floor(day + 15 * HOUR + (through % 1) * 9 * HOUR);
    last = dice.chance(0.2) ? Math.max(last, day) : Math.max(last, at);
    return last;
  };
}
