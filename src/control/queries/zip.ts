import { makeZip } from 'client-zip';
import { factsOf } from '../../core/domain/imageType.ts';
import { isErased, type Document } from '../../core/domain/document.ts';
import type { ImageSearch } from '../../keeper/locateBytes.ts';
import { messageText } from '../../core/domain/why.ts';
import type { Texts } from '../../texts/texts.ts';

export interface ZipDeps {
  readonly documents: AsyncIterable<Document>;
  /** Checks that the bytes have the document's hash. */
  readonly locateBytes: (document: Document) => Promise<ImageSearch>;
  /** Of MISSING.txt. */
  readonly texts: Texts;
}

/** Holds one image in memory at a time; stores without compression, as images are compressed. MISSING.txt lists missing images. */
export function zipOf({ documents, locateBytes, texts }: ZipDeps): AsyncIterable<Uint8Array> {
  async function* entries() {
    const taken = new Set<string>();
    const missing: string[] = [];
    for await (const document of documents) {
      const found = isErased(document) ? null : await locateBytes(document);
      if (found?.kind !== 'bytes') {
        missing.push(`${document.name}: ${messageText(texts, found?.why ?? { is: 'erased' })}`);
        continue;
      }
      yield {
        name: fileName(document, taken),
        lastModified: new Date(document.createdAt),
        input: found.bytes,
      };
    }
    if (missing.length > 0)
      yield { name: uniqueName('MISSING', 'txt', taken), input: `${missing.join('\n')}\n` };
  }
  return makeZip(entries(), { buffersAreUTF8: true });
}

/** A safe file name: cannot escape the directory it is unpacked into, and is not reserved on Windows, which has the strictest rules. */
function fileName({ name, type }: Document, taken: Set<string>): string {
  const safe = name.replace(/[\u0000-\u001f\u007f<>:"/\\|?*]/g, '_').replace(/^[.\s]+|[.\s]+$/g, '');
  const isReserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(safe);
  return uniqueName(safe === '' || isReserved ? `_${safe}` : safe, factsOf(type).endings[0], taken);
}

/** Numbers repeated names: two endpoints may use the same name, and some file systems ignore case. */
function uniqueName(stem: string, ending: string, taken: Set<string>): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? `${stem}.${ending}` : `${stem} (${count}).${ending}`;
    const key = name.normalize('NFC').toLowerCase();
    if (taken.has(key)) continue;
    taken.add(key);
    return name;
  }
}
