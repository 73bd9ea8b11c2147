import type { EndpointKey } from './document.ts';
import type { ImageType } from './imageType.ts';
import type { NameTemplate } from './nameTemplate.ts';
import type { Rate } from './rate.ts';

/** Default dots per inch of rendered pages. */
export const DEFAULT_RESOLUTION = 200;

/** Settings of a watched folder for the pipeline. Durations in milliseconds, sizes in bytes. */
export interface FolderSettings {
  readonly path: string;
  readonly recursive: boolean;
  /** `poll`: always list the folder at intervals, on local disks too. */
  readonly watch: 'auto' | 'poll';
  readonly endpoint: EndpointKey;
  /** The local name of the endpoint, for `{endpoint}` in names. */
  readonly alias: string;
  readonly settle: SettleTimes;
  readonly template: NameTemplate;
  readonly nameMaxBytes: number;
  readonly accept: readonly ImageType[];
  readonly maxFileSize: number;
  /** How to handle multi-page files; `missing`: split, but the splitter is not installed. Left out: send them whole. */
  readonly pages?: 'split' | 'whole' | 'missing';
  /** Dots per inch of rendered pages. */
  readonly pageResolution?: number;
  /** Whether to check legibility before sending, and what to do with an illegible image; left out: off. */
  readonly qualityCheck?: 'off' | 'warn' | 'hold';
  /** Whether to rotate a JPEG as its EXIF orientation says before sending it. */
  readonly upright?: boolean;
  readonly existing: Existing;
  readonly afterUpload: 'keep' | 'archive' | 'delete';
  /** For files older than the `afterUpload` setting; auto or left out: they stay, unless this is the folder's first watch. */
  readonly afterUploadExisting?: 'auto' | 'leave' | 'include';
  /** The folder's name among the agents that share the ledger; null or left out: it belongs to this agent alone. */
  readonly share?: string | null;
  /** Service statuses, one of which must be reached before `afterUpload` applies; null: acceptance is enough. */
  readonly afterUploadOn: readonly string[] | null;
}

export interface SettleTimes {
  readonly shortMs: number;
  readonly longMs: number;
  readonly patienceMs: number;
}

/** What to do with files already in a folder when it is first watched. */
export type Existing =
  | { readonly kind: 'send' }
  | { readonly kind: 'skip' }
  /** Files whose mtime is earlier are skipped. */
  | { readonly kind: 'since'; readonly at: number; readonly text: string };

export interface Limits {
  readonly concurrency: number;
  readonly rate: Rate | null;
  /** Whether to space requests evenly in a long window, instead of a burst followed by a pause. */
  readonly spread?: boolean;
  readonly perDay: number | null;
  readonly perMonth: number | null;
}

export interface EndpointSettings {
  readonly key: EndpointKey;
  readonly alias: string;
  /** Account whose credentials to use; null or left out: the default account. */
  readonly account?: string | null;
  readonly limits: Limits;
}

/**
 * The settings that a verdict on a file depended on, stored with the verdict: a refused PDF is checked
 * again once PDFs are allowed, and only then.
 */
export function acceptPolicy(settings: FolderSettings): string {
  const split = settings.pages === 'split' ? ';pages=split' : '';
  const quality = settings.qualityCheck === 'hold' ? ';qualityCheck=hold' : '';
  return `accept=${[...settings.accept].sort().join(',')};maxFileSize=${settings.maxFileSize}${split}${quality}`;
}

export function existingPolicy(existing: Existing): string {
  return existing.kind === 'since' ? `existing=since ${existing.text}` : `existing=${existing.kind}`;
}
