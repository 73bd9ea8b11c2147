import type {
  DocumentDetailJson,
  HistoryBucket,
  ListRowJson,
} from '../../../../src/control/protocol/documents.ts';
import { drawReceipt } from '../../../support/images.ts';

export const BASE_URL = 'https://receipts.example.com';
export const UIDS = {
  office: '6f1c2a58-9c3e-4f0e-8a57-0b1d2c3e4f50',
  branch: 'b7d40e11-52aa-4b6b-9d0f-7c8e9fa0b1c2',
};

export const CONFIG = `# Receipts of the main office.
service:
  baseUrl: ${BASE_URL}

endpoints:
  office:
    uid: ${UIDS.office} # given in 2024
    rate: 120/min
  branch:
    uid: ${UIDS.branch}
    perDay: 5000

folders:
  # The scanner at the front desk.
  - path: /srv/scans/front-desk
    endpoint: office
    recursive: true
  - path: /srv/scans/branch
    endpoint: branch
    afterUpload: archive
    settle: { short: 500ms }
  - path: /mnt/share/receipts
    endpoint: office
    watch: poll

delivery:
  concurrency: 4
`;

const MINUTE = 60_000;

export type Row = ListRowJson & { readonly folder: string };

const FOLDERS = ['/srv/scans/front-desk', '/srv/scans/branch', '/mnt/share/receipts'] as const;
const TYPES = ['jpeg', 'jpeg', 'png', 'jpeg', 'tiff', 'webp', 'pdf', 'heic', 'bmp', 'gif'] as const;

/** The state of each row, by its index from the newest. */
function stateOf(index: number): ListRowJson['state'] {
  if (index < 3) return index === 0 ? 'uploading' : 'queued';
  if (index % 97 === 13) return 'failed';
  if (index % 211 === 20) return 'unconfirmed';
  if (index % 307 === 31) return 'lost';
  if (index % 41 === 7) return 'duplicate';
  if (index % 59 === 11) return 'rejected';
  return 'accepted';
}

const WHY: Partial<Record<ListRowJson['state'], readonly [reason: string, message: string]>> = {
  failed: ['HTTP_422', 'The service refuses this document: the image is too small to read.'],
  unconfirmed: ['CONFLICT', 'The name is taken at the service, and it does not say by which image.'],
  lost: ['BYTES_GONE', 'The file was lost before it could be sent.'],
  rejected: ['TYPE', 'This is a text file, no image.'],
};

export function makeRow(index: number, id: number, at: number): Row {
  const state = stateOf(index);
  const type = TYPES[id % TYPES.length] ?? 'jpeg';
  const folder = FOLDERS[id % 7 === 0 ? 2 : id % 3 === 0 ? 1 : 0];
  const hash = (id * 2_654_435_761).toString(16).padStart(12, '0').slice(-12);
  const stem = id % 10 === 4 ? `Beleg München ${id}` : `scan_${String(id).padStart(5, '0')}`;
  const isDocument = state !== 'rejected' && state !== 'duplicate';
  const [reason, message] = WHY[state] ?? [null, null];
  const created = new Date(at).toISOString();
  return {
    folder,
    name: state === 'rejected' ? null : `${stem}-${hash}`,
    endpointUid: state === 'rejected' ? null : folder === FOLDERS[1] ? UIDS.branch : UIDS.office,
    baseUrl: state === 'rejected' ? null : BASE_URL,
    sha256: hash.repeat(6).slice(0, 64),
    state,
    status: state === 'accepted' ? 'PROCESSING' : null,
    path: `${folder}/${id % 5 === 0 ? '2026/11/' : ''}${stem}.${type === 'jpeg' ? 'jpg' : type}`,
    attempts: state === 'queued' || !isDocument ? 0 : 1,
    documentId: isDocument ? id : null,
    type: state === 'rejected' ? null : type,
    size: 40_000 + ((id * 486_119) % 2_400_000),
    reason,
    message,
    fact: null,
    answerLost: state === 'unconfirmed',
    needsPerson: state === 'failed' || state === 'unconfirmed' || state === 'lost',
    dismissedBy: null,
    dismissedAt: null,
    fileId: isDocument ? null : id,
    archivedTo: null,
    posted: [],
    sentAt: null,
    acceptedAt: null,
    createdAt: created,
    updatedAt: created,
    notBefore: null,
  };
}

/** The `newest` of `count` rows, newest first. */
export function makeRows(count: number, now: number, newest = count): Row[] {
  return Array.from({ length: newest }, (_, index) =>
    makeRow(index, count - index, now - index * 7 * MINUTE - (index % 5) * 11_000),
  );
}

export function detailOf(row: Row): DocumentDetailJson {
  const { state, documentId, folder, name, type } = row;
  const at = Date.parse(row.createdAt);
  const time = (plus: number) => new Date(at + plus).toISOString();
  const isAccepted = state === 'accepted';
  const wasSent = isAccepted || state === 'failed' || state === 'unconfirmed';
  return {
    ...row,
    id: documentId ?? 0,
    name: name ?? '',
    endpointUid: row.endpointUid ?? '',
    baseUrl: BASE_URL,
    path: row.path.slice(folder.length + 1),
    sha256: row.sha256 ?? '',
    type: (type ?? 'jpeg') as DocumentDetailJson['type'],
    lane: 'fresh',
    state: state as DocumentDetailJson['state'],
    attemptCount: wasSent ? 2 : 0,
    oddAnswers: wasSent ? 1 : 0,
    responseCut: null,
    response: isAccepted
      ? `{"uid":"d-${documentId}","name":${JSON.stringify(name)},"status":"PROCESSING","number":12345678901234567890,"pages":[{"index":0}],"notes":[]}`
      : null,
    attempts: wasSent
      ? [
          {
            id: 1,
            startedAt: time(900),
            finishedAt: time(31_000),
            outcome: 'trouble',
            httpStatus: 503,
            bytes: row.size,
            message: 'The service is unavailable.',
            fact: null,
          },
          {
            id: 2,
            startedAt: time(45_000),
            finishedAt: time(46_240),
            outcome: isAccepted ? 'accepted' : state === 'failed' ? 'refused' : 'unknown',
            httpStatus: isAccepted ? 201 : 422,
            bytes: row.size,
            message: row.message,
            fact: null,
          },
        ]
      : [],
    results: [],
    files: [
      {
        path: row.path,
        verdict: 'document',
        size: row.size,
        seenAt: time(-400),
        goneAt: null,
        disposed: null,
        archivedTo: null,
        remark: null,
        remarkFact: null,
      },
      {
        path: `${folder}/copy of ${name}.jpg`,
        verdict: 'duplicate',
        size: row.size,
        seenAt: time(90_000),
        goneAt: time(3_600_000),
        disposed: 'kept',
        archivedTo: null,
        remark: null,
        remarkFact: null,
      },
    ],
  };
}

export function makeHistory(
  minutes: number,
  now: number,
  slowness = 1,
): { everyMs: number; buckets: HistoryBucket[] } {
  const everyMs = minutes > 120 ? 15 * MINUTE : MINUTE;
  const count = Math.ceil((minutes * MINUTE) / everyMs);
  const end = Math.ceil(now / everyMs) * everyMs;
  const buckets = Array.from({ length: count }, (_, index) => {
    const accepted = Math.max(
      0,
      Math.round(26 + 18 * Math.sin(index / 6) + 7 * Math.sin(index * 1.7)) - (index % 23 === 0 ? 30 : 0),
    );
    const refused = index % 17 === 4 ? 2 : 0;
    const limited = index % 19 === 7 ? 3 : 0;
    const trouble = index % 23 < 2 ? 6 : 0;
    return {
      at: new Date(end - (count - index) * everyMs).toISOString(),
      accepted,
      refused,
      limited,
      trouble,
      requests: accepted + refused + limited + trouble,
      bytes: accepted * 412_000,
      medianMs: accepted === 0 ? null : slowness * (420 + 90 * Math.sin(index / 4)),
      slowestMs: accepted === 0 ? null : slowness * (1150 + 420 * Math.sin(index / 5) + (index % 13) * 35),
    };
  });
  return { everyMs, buckets };
}

/** A few pictures that all rows use. */
export async function makeImages(): Promise<ReadonlyMap<string, Buffer>> {
  const types = ['jpeg', 'png', 'webp', 'gif', 'bmp', 'tiff', 'pdf', 'heic'] as const;
  const drawn = types.map(
    async (type) => [type, await drawReceipt({ type, seed: type, width: 300, height: 500 })] as const,
  );
  const thumbnail = await drawReceipt({ type: 'webp', seed: 'webp', width: 96, height: 160 });
  return new Map([...(await Promise.all(drawn)), ['thumbnail', thumbnail]]);
}
