import type { FileIdentity, Lane } from '../core/domain/document.ts';
import type { Remark } from '../core/domain/look.ts';
import { factsOf, isSplitType, type ImageType } from '../core/domain/imageType.ts';
import { PAGE_TYPES } from '../core/domain/pages.ts';
import { NO_RECEIPT } from '../core/domain/needsPerson.ts';
import { mayBeReceipt } from '../core/domain/receiptLike.ts';
import type { GapFact, WhyFact } from '../core/domain/why.ts';
import type { ImageInspector, Inspection } from '../core/ports/image.ts';
import type { FolderSettings } from '../core/domain/settings.ts';

/** How long a file must not have changed: longer if its type may grow after a complete structure, longest if bytes seem to be missing. */
export type Quiet = 'short' | 'long' | 'longest';

/** A complete file: an image to send, or pages to split and send as images. */
type Whole = (
  | { readonly kind: 'image'; readonly type: ImageType; readonly quiet: Quiet }
  | { readonly kind: 'pages'; readonly quiet: Quiet }
) & {
  /** Left out unless a decoder may miss what stands in its zeros: its type, and what it is then. */
  readonly hole?: { readonly type: ImageType; readonly incomplete: Incomplete };
};

interface Incomplete {
  readonly kind: 'incomplete';
  readonly reason: string;
  readonly why: WhyFact;
  /** Left out unless a decoder may still read the whole of it: its type, and what it is then. */
  readonly doubt?: { readonly type: ImageType; readonly whole: Whole };
}

/** What to do with a file that has stopped changing, judged by its bytes. */
export type Judgement =
  Whole | Incomplete | { readonly kind: 'rejected'; readonly reason: string; readonly why: WhyFact };

/** `path` decides nothing about what is sent, only whether a file that is not sent may be somebody's receipt. */
export async function judge(
  path: string,
  bytes: Buffer,
  settings: FolderSettings,
  inspector: ImageInspector,
): Promise<Judgement> {
  if (bytes.length === 0) {
    if (!mayBeReceipt(path, 'unread')) return noReceipt({ is: 'emptyNoReceipt' });
    return { kind: 'incomplete', reason: 'EMPTY', why: { is: 'empty' } };
  }
  const inspection = await inspector.inspect(bytes);
  if (inspection.type === null) return unidentified(path, inspection);
  const isTurned = settings.upright === true && inspection.type === 'jpeg' && inspector.isTurned(bytes);
  const isSplit = isToSplit(inspection, settings, isTurned);
  if (!isSplit && !settings.accept.includes(inspection.type)) return notAccepted(inspection.type, settings);
  const { type } = inspection;
  const hasHole = inspection.structure === 'complete' && inspection.hasHole;
  const quiet = hasHole
    ? 'longest'
    : factsOf(type).grows || inspection.structure === 'incomplete'
      ? 'long'
      : 'short';
  const whole: Whole = isSplit ? { kind: 'pages', quiet } : { kind: 'image', type, quiet };
  if (inspection.structure === 'complete') {
    if (hasHole !== true || !factsOf(type).isCompressed) return whole;
    return { ...whole, hole: { type, incomplete: incomplete({ is: 'zeros' }) } };
  }
  const judgement = incomplete(inspection.detail);
  return inspection.isDoubtful === true ? { ...judgement, doubt: { type, whole } } : judgement;
}

function incomplete(gap: GapFact): Incomplete {
  return { kind: 'incomplete', reason: 'INCOMPLETE', why: { is: 'incomplete', gap } };
}

/** Single-page TIFFs and HEICs that the folder accepts, and JPEGs that need no turning, are sent unsplit. */
function isToSplit(inspection: Inspection, { pages, accept }: FolderSettings, isTurned: boolean): boolean {
  if (!PAGE_TYPES.some((type) => accept.includes(type))) return false;
  if (inspection.type === 'jpeg') return isTurned && inspection.structure === 'complete';
  if (pages !== 'split') return false;
  switch (inspection.type) {
    case 'pdf':
      return true;
    case 'tiff':
      return inspection.structure === 'incomplete' || (inspection.pages ?? 1) > 1 || !accept.includes('tiff');
    case 'heic':
      return !accept.includes('heic');
    default:
      return false;
  }
}

function unidentified(
  path: string,
  { detail, content }: Extract<Inspection, { type: null }>,
): Extract<Judgement, { kind: 'rejected' }> {
  if (!mayBeReceipt(path, content)) return noReceipt({ is: 'notAnImage', content: detail });
  if (content === 'image')
    return { kind: 'rejected', reason: 'TYPE_UNKNOWN', why: { is: 'otherType', content: detail } };
  return { kind: 'rejected', reason: 'DAMAGED', why: { is: 'damaged', content: detail } };
}

function notAccepted(type: ImageType, { pages }: FolderSettings): Extract<Judgement, { kind: 'rejected' }> {
  const reason = type === 'pdf' ? 'PDF_NOT_ACCEPTED' : 'TYPE_NOT_ACCEPTED';
  if (pages === 'missing' && type !== 'jpeg' && isSplitType(type))
    return { kind: 'rejected', reason, why: { is: 'notSplit', type } };
  return { kind: 'rejected', reason, why: { is: 'notAccepted', type } };
}

/** Verdict on a file that is too large to read; `path` only tells whether it may be a receipt. */
export function judgeTooLarge(
  path: string,
  bytes: number,
  { maxFileSize }: Pick<FolderSettings, 'maxFileSize'>,
): Extract<Judgement, { kind: 'rejected' }> {
  const sizes = { bytes, limit: maxFileSize };
  if (!mayBeReceipt(path, 'unread')) return noReceipt({ is: 'tooLargeNoReceipt', ...sizes });
  return { kind: 'rejected', reason: 'TOO_LARGE', why: { is: 'tooLarge', ...sizes } };
}

function noReceipt(why: WhyFact): Extract<Judgement, { kind: 'rejected' }> {
  return { kind: 'rejected', reason: NO_RECEIPT, why };
}

/** A stable file with what was read of it. */
export interface Candidate {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly lane: Lane;
  readonly bytes: Buffer;
  readonly type: ImageType;
  /** Mark of the file system that it was read from; null if unknown. */
  readonly mark: string | null;
  /** Finding of the content check, if the image is sent despite it. */
  readonly remark?: Remark | null;
}

/** A file to be split into pages. */
export type PagedFile = Omit<Candidate, 'type'>;
