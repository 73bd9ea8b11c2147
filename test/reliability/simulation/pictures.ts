import type { ImageInspector, Inspection } from '../../../src/core/ports/image.ts';
import { sha256 } from '../support/digest.ts';

/**
 * Images as text: `JPG|label|...|END`, or `TIF|label|page 1|END|page 2|END`, which is complete after each page and may grow. Reading them
 * takes no time; realistic images are tested elsewhere.
 */

const MAGIC = { 'JPG|': 'jpeg', 'TIF|': 'tiff', 'PDF|': 'pdf' } as const;
const END = '|END';

export interface Picture {
  readonly label: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export function picture(label: string, kind: 'jpeg' | 'tiff', size: number, pages = 1): Picture {
  const body = Array.from({ length: pages }, (_, page) => `|p${page + 1}${'.'.repeat(size)}${END}`).join('');
  return pictureOf(label, Buffer.from(`${kind === 'jpeg' ? 'JPG' : 'TIF'}|${label}${body}`));
}

export function pictureOf(label: string, bytes: Buffer): Picture {
  return { label, bytes, sha256: sha256(bytes) };
}

/** The first page, which is a complete image as well. */
export function firstPage({ label, bytes }: Picture): Picture {
  return pictureOf(`${label} (one page)`, bytes.subarray(0, bytes.indexOf(END) + END.length));
}

export const inspector: ImageInspector = {
  async inspect(bytes): Promise<Inspection> {
    const text = Buffer.from(bytes).toString('latin1');
    const type = MAGIC[text.slice(0, 4) as keyof typeof MAGIC];
    if (type === undefined) return { type: null, detail: { is: 'unknown' }, content: 'unknown' };
    return text.endsWith(END)
      ? { type, structure: 'complete' }
      : { type, structure: 'incomplete', detail: { is: 'endMissing', type: 'jpeg', has: bytes.length } };
  },
  isTurned: () => false,
  capturedAt: async () => null,
  sha256: async (bytes) => sha256(bytes),
};
