/** Formats of split pages. If the service accepts neither, files are not split. */
export const PAGE_TYPES = ['jpeg', 'png'] as const;
export type PageType = (typeof PAGE_TYPES)[number];

/** A file with more pages is not a stack of receipts. */
export const MOST_PAGES = 5_000;

/** Separates a file's path from the page number. Two slashes never occur in a file's path, so this is unambiguous. */
const BETWEEN = '//page ';

/** Path of a page: the path of its file and the page number, from 1. */
export function pagePath(file: string, page: number): string {
  return `${file}${BETWEEN}${page}`;
}

export interface PageOfFile {
  readonly file: string;
  readonly page: number;
}

/** Null if it is the path of a file. */
export function pageOf(path: string): PageOfFile | null {
  const at = path.lastIndexOf(BETWEEN);
  if (at < 0) return null;
  const page = Number(path.slice(at + BETWEEN.length));
  return Number.isSafeInteger(page) && page > 0 ? { file: path.slice(0, at), page } : null;
}

/** Restores a page path from a listed one: joining it to the folder's path removed one slash. Null if it is none. */
export function listedPage(path: string): string | null {
  const found = /^(.+)\/page (\d+)$/.exec(path);
  return found === null ? null : pagePath(found[1] ?? '', Number(found[2]));
}

/** Path of the file that contains the page; a file's own path stays the same. */
export function fileOf(path: string): string {
  return pageOf(path)?.file ?? path;
}
