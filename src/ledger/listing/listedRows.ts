import { join } from 'node:path';
import type { AccountOf } from '../../core/domain/account.ts';
import type { Document, Verdict } from '../../core/domain/document.ts';
import { heldBecause } from '../../core/domain/problem.ts';
import type { Hold } from '../../core/ports/hold.ts';
import { needsPerson } from '../../core/domain/needsPerson.ts';
import type { ListRow, ListState } from '../../core/ports/ledgerReports.ts';
import { holdOver, isHeld } from '../holdOver.ts';
import { toPosted } from '../payload.ts';

export function documentRow(document: ListedDocument, holds: readonly Hold[], accountOf: AccountOf): ListRow {
  const hold =
    document.state === 'queued' ? holdOver(holds, document.endpoint, document.folder, accountOf) : undefined;
  return {
    name: document.name,
    endpointUid: document.endpoint.uid,
    baseUrl: document.endpoint.baseUrl,
    sha256: document.sha256,
    state: isHeld(hold) ? 'held' : document.state,
    status: document.serviceStatus,
    path: join(document.folder, document.path),
    attempts: document.attempts,
    documentId: document.id,
    fileId: null,
    type: document.type,
    size: document.size,
    reason: hold?.reason ?? document.reason,
    message: hold === undefined ? document.message : heldBecause(hold),
    answerLost: document.answerLost,
    needsPerson: needsPerson({ ...document, isGone: false, isDismissed: document.dismissedAt !== null }),
    ...dismissal(document),
    archivedTo: document.archivedTo,
    posted: toPosted(document.posted),
    createdAt: iso(document.createdAt),
    updatedAt: iso(document.updatedAt),
    notBefore: document.notBefore === 0 ? null : iso(document.notBefore),
  };
}

interface DismissalRow {
  readonly dismissedAt: number | null;
  readonly dismissedBy: string | null;
}

interface PostedRow {
  /** JSON list of the fields of the document's results. */
  readonly posted: string | null;
}

function dismissal({ dismissedAt, dismissedBy }: DismissalRow): Pick<ListRow, 'dismissedAt' | 'dismissedBy'> {
  return { dismissedAt: dismissedAt === null ? null : iso(dismissedAt), dismissedBy };
}

export interface ListedDocument extends Document, DismissalRow, PostedRow {
  readonly archivedTo: string | null;
}

export interface ListedFile extends DismissalRow, PostedRow {
  readonly folder: string;
  readonly dir: string;
  readonly name: string;
  readonly goneAt: number | null;
  readonly id: number;
  readonly verdict: Exclude<Verdict, 'document'> & ListState;
  readonly size: number;
  readonly sha256: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly archivedTo: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly documentId: number | null;
  readonly documentName: string | null;
  readonly type: string | null;
  readonly serviceStatus: string | null;
  readonly baseUrl: string | null;
  readonly uid: string | null;
}

export function fileRow(row: ListedFile): ListRow {
  return {
    name: row.documentName,
    endpointUid: row.uid,
    baseUrl: row.baseUrl,
    sha256: row.sha256,
    state: row.verdict,
    status: row.serviceStatus,
    path: join(row.folder, row.dir, row.name),
    attempts: 0,
    documentId: row.documentId,
    fileId: row.id,
    type: row.type,
    size: row.size,
    reason: row.reason,
    message: row.message,
    answerLost: false,
    needsPerson: needsPerson({
      state: row.verdict,
      reason: row.reason,
      isGone: row.goneAt !== null,
      isDismissed: row.dismissedAt !== null,
    }),
    ...dismissal(row),
    archivedTo: row.archivedTo,
    posted: toPosted(row.posted),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    notBefore: null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
