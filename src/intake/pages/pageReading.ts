import { isSplitType } from '../../core/domain/imageType.ts';
import { PAGE_TYPES, pageOf } from '../../core/domain/pages.ts';
import { DEFAULT_RESOLUTION, type FolderSettings } from '../../core/domain/settings.ts';
import type { FileRead, WatchedFolder } from '../../core/ports/folder.ts';
import type { ImageInspector } from '../../core/ports/image.ts';
import type { PageSplitter } from '../../core/ports/pages.ts';

/** Resolves the image of a page as it would be sent now; null if it can't be made. */
export type ReadPage = (folder: string, file: Buffer, page: number) => Promise<Buffer | null>;

/** Highest limit that can be configured for the size of a file. */
const MOST_BYTES = 1_000_000_000;

/** `splitter` is null if it is not installed. */
export function pageReader(
  splitter: PageSplitter | null,
  inspector: Pick<ImageInspector, 'inspect'>,
  folders: readonly Pick<FolderSettings, 'path' | 'accept' | 'pageResolution'>[],
): ReadPage {
  return async (folder, file, page) => {
    const { type } = await inspector.inspect(file);
    if (splitter === null || !isSplitType(type)) return null;
    const opened = await splitter.open({
      type,
      bytes: async () => file,
      ...pageForm(folders.find(({ path }) => path === folder)),
      isLookedAt: false,
      signal: NEVER,
    });
    if (opened.kind === 'refused') return null;
    try {
      const image = page <= opened.pages ? await opened.page(page) : null;
      return image?.kind === 'image' ? image.bytes : null;
    } finally {
      await opened.close();
    }
  };
}

const NEVER = new AbortController().signal;

/** The form in which a folder's pages are sent; `settings` is left out if it is no longer configured. */
export function pageForm(
  settings?: Pick<FolderSettings, 'accept' | 'pageResolution'>,
): Pick<Parameters<PageSplitter['open']>[0], 'into' | 'resolution'> {
  const into = PAGE_TYPES.filter((each) => settings?.accept.includes(each) ?? true);
  return {
    into: into.length > 0 ? into : PAGE_TYPES,
    resolution: settings?.pageResolution ?? DEFAULT_RESOLUTION,
  };
}

/** Lets pages be read like files, by their page path (core/domain/pages.ts): for viewing, or if the copy is gone. */
export function readingPages(folder: WatchedFolder, readPage: ReadPage): WatchedFolder {
  return {
    ...folder,
    read: async (path, limit, options): Promise<FileRead> => {
      const of = pageOf(path);
      if (of === null) return folder.read(path, limit, options);
      const file = await folder.read(of.file, MOST_BYTES);
      if (file.kind !== 'bytes') return file;
      const bytes = await readPage(folder.path, file.bytes, of.page);
      if (bytes === null) return { kind: 'gone' };
      return { kind: 'bytes', bytes, identity: { ...file.identity, size: bytes.length } };
    },
  };
}
