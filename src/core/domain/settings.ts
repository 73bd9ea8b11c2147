import type { EndpointKey } from './document.ts';
import type { ImageType } from './imageType.ts';
import type { NameTemplate } from './nameTemplate.ts';
import type { Rate } from './rate.ts';

/** Dots per inch of pages that have to be drawn, where no folder says otherwise. */
export const DEFAULT_RESOLUTION = 200;

/** What the pipeline needs to know of a watched folder. Durations in milliseconds, sizes in bytes. */
export interface FolderSettings {
  readonly path: string;
  readonly recursive: boolean;
  /** `poll`: listed at intervals wherever it lies. */
  readonly watch: 'auto' | 'poll';
  readonly endpoint: EndpointKey;
  /** The local name of the endpoint, for `{endpoint}` in names. */
  readonly alias: string;
  readonly settle: SettleTimes;
  readonly template: NameTemplate;
  readonly nameMaxBytes: number;
  readonly accept: readonly ImageType[];
  readonly maxFileSize: number;
  /** What becomes of files of several pages; `missing`: to be split, but what does it is not installed. Left out: they go as they are. */
  readonly pages?: 'split' | 'whole' | 'missing';
  /** Dots per inch of pages that have to be drawn. */
  readonly pageResolution?: number;
  /** Whether images are looked at before they are sent, and what becomes of one that can't be read; left out: off. */
  readonly look?: 'off' | 'warn' | 'hold';
  /** Whether a JPEG that is to be turned before it is shown (EXIF) is sent turned. */
  readonly upright?: boolean;
  readonly existing: Existing;
  readonly afterUpload: 'keep' | 'archive' | 'delete';
  /** Files that were there before `afterUpload` was set; auto, or left out: they stay, unless the folder is watched for the first time. */
  readonly afterUploadExisting?: 'auto' | 'leave' | 'include';
  /** Its name among the agents that share the ledger; null or left out: it is this agent's alone. */
  readonly share?: string | null;
  /** Statuses of the service of which one has to be reached before that; null: acceptance is enough. */
  readonly afterUploadOn: readonly string[] | null;
}

export interface SettleTimes {
  readonly shortMs: number;
  readonly longMs: number;
  readonly patienceMs: number;
}

/** What to do with files that lie in a folder when it is first watched. */
export type Existing =
  | { readonly kind: 'send' }
  | { readonly kind: 'skip' }
  /** Files whose mtime is earlier are skipped. */
  | { readonly kind: 'since'; readonly at: number; readonly text: string };

export interface Limits {
  readonly concurrency: number;
  readonly rate: Rate | null;
  /** Whether the requests of a long window are kept apart, rather than sent at once and followed by silence. */
  readonly spread?: boolean;
  readonly perDay: number | null;
  readonly perMonth: number | null;
}

export interface EndpointSettings {
  readonly key: EndpointKey;
  readonly alias: string;
  /** Whose credentials it is used with; null or left out: the default account's. */
  readonly account?: string | null;
  readonly limits: Limits;
}

/**
 * The configuration that a verdict about a file depended on. It is stored beside the verdict: a PDF that was
 * refused is checked again once PDFs are allowed, and nothing is when nothing changed.
 */
export function acceptPolicy(settings: FolderSettings): string {
  const split = settings.pages === 'split' ? ';pages=split' : '';
  const look = settings.look === 'hold' ? ';look=hold' : '';
  return `accept=${[...settings.accept].sort().join(',')};maxFileSize=${settings.maxFileSize}${split}${look}`;
}

export function existingPolicy(existing: Existing): string {
  return existing.kind === 'since' ? `existing=since ${existing.text}` : `existing=${existing.kind}`;
}
