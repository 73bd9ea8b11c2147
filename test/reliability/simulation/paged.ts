import { PAGE_TYPES } from '../../../src/core/domain/pages.ts';
import type { OpenFile, PageImage, PageSplitter, Unreadable } from '../../../src/core/ports/pages.ts';
import type { Dice } from '../support/dice.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import { appearanceOf } from './looks.ts';
import { pictureOf, type Picture } from './pictures.ts';
import type { Process } from './process.ts';

/**
 * Multi-page files as text: `PDF|label|page~page|END`. A page is `o…`, which contains its image byte for byte, `d…`, which is drawn, with a
 * different result in each life of the agent (as by another version of the renderer), or `x…`, which is unreadable.
 */

const HEAD = 'PDF|';
const END = '|END';

export interface Page {
  readonly kind: 'original' | 'drawn' | 'damaged';
  readonly text: string;
}

/** The pages of multi-page files. */
export class PagedFiles {
  /** Pages by the hash of the file. */
  readonly #pages = new Map<string, readonly Page[]>();

  /** A few pages, some of which also occur in other files. */
  make(label: string, dice: Dice): Picture {
    const pages = Array.from({ length: dice.int(1, 5) }, (_, at): Page => {
      const kind = dice.weighted({ original: 5, drawn: 4, damaged: 1 });
      const own = `${label} page ${at + 1}${'.'.repeat(dice.int(5, 120))}`;
      return { kind, text: kind === 'original' && dice.chance(0.3) ? `shared ${dice.int(1, 3)}` : own };
    });
    const body = pages.map(({ kind, text }) => `${kind.slice(0, 1).replace('a', 'x')}${text}`).join('~');
    const made = pictureOf(label, Buffer.from(`${HEAD}${label}|${body}${END}`));
    this.#pages.set(
      made.sha256,
      pages.map(({ kind, text }) => ({ kind, text })),
    );
    return made;
  }

  /** Null if it is no multi-page file. */
  pagesOf(file: string): readonly Page[] | null {
    return this.#pages.get(file) ?? null;
  }

  draw(file: string, page: number, life: number): Buffer | null {
    const { kind, text } = this.#pages.get(file)?.[page - 1] ?? { kind: 'damaged', text: '' };
    if (kind === 'damaged') return null;
    const bytes = Buffer.from(`JPG|${text}${kind === 'drawn' ? ` drawn in life ${life}` : ''}${END}`);
    return bytes;
  }
}

const TROUBLE: Unreadable = { kind: 'refused', reason: 'TROUBLE', detail: { is: 'crashed' } };
const DAMAGED: Unreadable = { kind: 'refused', reason: 'DAMAGED', detail: { is: 'damaged' } };

/** The page splitter of one process. Occasionally fails by itself. */
export function modelSplitter(
  files: PagedFiles,
  process: Process,
  onImage: (bytes: Buffer, of: { readonly file: string; readonly page: number }) => void,
): PageSplitter {
  const dice = process.dice;
  return {
    isWhole: async () => null,
    async open({ bytes: read, into, isLookedAt, signal }) {
      const bytes = await read();
      if (bytes === null || signal.aborted) return TROUBLE;
      const file = hashOf(bytes);
      const pages = files.pagesOf(file);
      if (pages === null || into.length === 0 || into.some((type) => !PAGE_TYPES.includes(type)))
        return DAMAGED;
      const page = (number: number): PageImage | Unreadable => {
        if (signal.aborted || dice.chance(0.02)) return TROUBLE;
        const image = files.draw(file, number, process.number);
        if (image === null) return DAMAGED;
        onImage(image, { file, page: number });
        const appearance = isLookedAt ? appearanceOf(pages[number - 1]!.text) : null;
        return { kind: 'image', type: 'jpeg', bytes: image, isOriginal: false, appearance };
      };
      const opened: OpenFile = {
        kind: 'open',
        attachments: 0,
        pages: pages.length,
        page: (number) => process.step('a page', () => page(number)),
        close: async () => {},
      };
      return process.step('the opening of a file', () => (dice.chance(0.02) ? TROUBLE : opened));
    },
    look: (bytes) => process.step('a look at an image', () => appearanceOf(bytes)),
    close: async () => {},
  };
}
