import type { ImageType } from './imageType.ts';

/** What a page can become; the service takes one of them at least, or nothing is split. */
export const PAGE_TYPES = ['jpeg', 'png'] as const;
export type PageType = (typeof PAGE_TYPES)[number];

/** Types that hold pages, or have to become another image first. */
export const SPLIT_TYPES = ['pdf', 'tiff', 'heic', 'jpeg'] as const satisfies readonly ImageType[];
export type SplitType = (typeof SPLIT_TYPES)[number];

/** More than this in one file is no stack of receipts. */
export const MOST_PAGES = 5_000;

/** Between the path of a file and its page. Two slashes stand in no path of a file, so that no file can have the path of a page. */
const BETWEEN = '//page ';

/** Where a page is: as the path of its file, and which one it is (from 1). */
export function pagePath(file: string, page: number): string {
  return `${file}${BETWEEN}${page}`;
}

export interface PageOfFile {
  readonly file: string;
  readonly page: number;
}

/** Null where it is the path of a file. */
export function pageOf(path: string): PageOfFile | null {
  const at = path.lastIndexOf(BETWEEN);
  if (at < 0) return null;
  const page = Number(path.slice(at + BETWEEN.length));
  return Number.isSafeInteger(page) && page > 0 ? { file: path.slice(0, at), page } : null;
}

/** Where the page is that a list may mean by this path: joined to the folder's, it has one slash less. */
export function listedPage(path: string): string | null {
  const found = /^(.+)\/page (\d+)$/.exec(path);
  return found === null ? null : pagePath(found[1] ?? '', Number(found[2]));
}

/** The path of the file, of whose page this may be the path. */
export function fileOf(path: string): string {
  return pageOf(path)?.file ?? path;
}
