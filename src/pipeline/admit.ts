import { hash as digest } from 'node:crypto';
import type { FileIdentity, Lane } from '../domain/document.ts';
import { GROWING_TYPES, type ImageType } from '../domain/imageType.ts';
import type { ImageInspector } from '../ports/image.ts';
import type { Admitted, Ledger } from '../ports/ledger.ts';
import type { FolderSettings } from './settings.ts';

/** What the bytes of a file that lies still mean for us. */
export type Judgement =
  | {
      readonly kind: 'image';
      readonly type: ImageType;
      /** Its type may grow after a complete structure. */ readonly growing: boolean;
    }
  | { readonly kind: 'incomplete'; readonly reason: string; readonly message: string }
  | { readonly kind: 'rejected'; readonly reason: string; readonly message: string };

export async function judge(
  bytes: Buffer,
  settings: FolderSettings,
  inspector: ImageInspector,
): Promise<Judgement> {
  if (bytes.length === 0) {
    return {
      kind: 'incomplete',
      reason: 'EMPTY',
      message: 'The file is empty; it is looked at again when it grows.',
    };
  }
  const inspection = await inspector.inspect(bytes);
  if (inspection.type === null) {
    return { kind: 'rejected', reason: 'NOT_AN_IMAGE', message: `Not an image: ${inspection.detail}.` };
  }
  if (!settings.accept.includes(inspection.type)) {
    const type = inspection.type.toUpperCase();
    const message =
      inspection.type === 'pdf'
        ? 'A PDF; the service is described for images only. Add `pdf` to the `accept` list of this folder if yours takes PDFs.'
        : `${type} is not among the types that this folder accepts. Add \`${inspection.type}\` to its \`accept\` list to send it.`;
    return { kind: 'rejected', reason: 'TYPE_NOT_ACCEPTED', message };
  }
  if (inspection.structure === 'incomplete') {
    const message = `Incomplete: ${inspection.detail}. It is looked at again when it changes.`;
    return { kind: 'incomplete', reason: 'INCOMPLETE', message };
  }
  return { kind: 'image', type: inspection.type, growing: GROWING_TYPES.has(inspection.type) };
}

export function sha256(bytes: Uint8Array): string {
  return digest('sha256', bytes, 'hex');
}

export interface Candidate {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly lane: Lane;
  readonly bytes: Buffer;
  readonly type: ImageType;
}

/** Names an image and puts it in the ledger; durable when this resolves. */
export async function admit(
  candidate: Candidate,
  settings: FolderSettings,
  deps: { ledger: Ledger; inspector: ImageInspector; now: number; host: string },
): Promise<Admitted> {
  const { path, identity, bytes, type, lane } = candidate;
  const { template } = settings;
  const hash = await deps.inspector.sha256(bytes);
  const captured = template.usesCaptured ? await deps.inspector.capturedAt(bytes, type) : null;
  const context = nameContext(path, identity, hash, captured, settings, deps);
  return deps.ledger.admit({
    endpoint: settings.endpoint,
    file: { folder: settings.path, path, identity },
    sha256: hash,
    type,
    lane,
    at: deps.now,
    naming: template.naming(context),
  });
}

export function nameContext(
  path: string,
  identity: FileIdentity,
  hash: string,
  captured: Date | null,
  settings: Pick<FolderSettings, 'path' | 'alias' | 'nameMaxBytes'>,
  { now, host }: { now: number; host: string },
) {
  return {
    folder: settings.path,
    path,
    hash,
    host,
    endpoint: settings.alias,
    date: new Date(now),
    captured: captured ?? new Date(Number(identity.mtimeNs / 1_000_000n)),
    maxBytes: settings.nameMaxBytes,
  };
}
