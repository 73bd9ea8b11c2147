/** Builds PDFs like those of scanners and office programs. */

export type PdfPage =
  | {
      readonly jpeg: Buffer;
      readonly width: number;
      readonly height: number;
      readonly rotate?: number;
      /** More keys of the page. */
      readonly keys?: string;
    }
  /** A content stream, such as `BT /F1 24 Tf 72 700 Td (Total 12.30) Tj ET`. */
  | { readonly content: string };

export interface PdfOptions {
  /** Marks the file as encrypted, as if it needed a password. */
  readonly isEncrypted?: boolean;
  /** A script that viewers run on opening the file. */
  readonly script?: string;
  /** Different titles give different files with the same pages. */
  readonly title?: string;
}

const POINTS_A_PIXEL = 72 / 200;

export function pdfOf(
  pages: readonly PdfPage[],
  { isEncrypted, script, title = '' }: PdfOptions = {},
): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.6\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = (pieces[0] as Buffer).length;
  const put = (bytes: Buffer | string): void => {
    const piece = Buffer.from(bytes as Buffer);
    pieces.push(piece);
    length += piece.length;
  };
  const object = (number: number, head: string, stream?: Buffer): void => {
    offsets[number] = length;
    put(`${number} 0 obj\n${head}\n`);
    if (stream) {
      put('stream\n');
      put(stream);
      put('\nendstream\n');
    }
    put('endobj\n');
  };
  const action = script === undefined ? '' : ` /OpenAction << /S /JavaScript /JS (${script}) >>`;
  object(1, `<< /Type /Catalog /Pages 2 0 R${action} >>`);
  const first = 5;
  const kids = pages.map((_, at) => `${first + at * 3} 0 R`).join(' ');
  object(2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  object(4, `<< /Title (${title}) >>`);
  pages.forEach((page, at) => {
    const [own, image, text] = [first + at * 3, first + at * 3 + 1, first + at * 3 + 2];
    const isScan = 'jpeg' in page;
    const [wide, high] = isScan ? [page.width * POINTS_A_PIXEL, page.height * POINTS_A_PIXEL] : [595, 842];
    const rotate = isScan && page.rotate !== undefined ? ` /Rotate ${page.rotate}` : '';
    const keys = (isScan && page.keys) || '';
    const resources = isScan ? `/XObject << /Im0 ${image} 0 R >>` : '/Font << /F1 3 0 R >>';
    object(
      own,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${wide} ${high}]${rotate} ${keys} /Resources << ${resources} >> /Contents ${text} 0 R >>`,
    );
    if (isScan)
      object(
        image,
        `<< /Type /XObject /Subtype /Image /Width ${page.width} /Height ${page.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${page.jpeg.length} >>`,
        page.jpeg,
      );
    else object(image, '<< >>');
    const content = Buffer.from(isScan ? `q ${wide} 0 0 ${high} 0 0 cm /Im0 Do Q` : page.content);
    object(text, `<< /Length ${content.length} >>`, content);
  });
  const count = first + pages.length * 3;
  if (isEncrypted) {
    const key = '00'.repeat(32);
    object(count, `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <${key}> /U <${key}> >>`);
  }
  const size = count + (isEncrypted ? 1 : 0);
  const table = length;
  put(`xref\n0 ${size}\n0000000000 65535 f \n`);
  for (let number = 1; number < size; number += 1)
    put(`${String(offsets[number]).padStart(10, '0')} 00000 n \n`);
  const encrypt = isEncrypted ? ` /Encrypt ${count} 0 R /ID [<00> <00>]` : '';
  put(`trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R${encrypt} >>\nstartxref\n${table}\n%%EOF\n`);
  return Buffer.concat(pieces);
}

/** A PDF of numbered objects: each is its text, or its dictionary and the bytes of its stream. Object 1 is the catalog. */
export function rawPdf(
  objects: Readonly<Record<number, string | readonly [head: string, stream: Buffer]>>,
): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.6\n')];
  const offsets = new Map<number, number>();
  let length = pieces[0]?.length ?? 0;
  const put = (bytes: Buffer): void => {
    pieces.push(bytes);
    length += bytes.length;
  };
  for (const [number, object] of Object.entries(objects)) {
    offsets.set(Number(number), length);
    const [head, stream] = typeof object === 'string' ? [object, null] : object;
    put(Buffer.from(`${number} 0 obj\n${head}\n`, 'latin1'));
    if (stream !== null) put(Buffer.concat([Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n')]));
    put(Buffer.from('endobj\n'));
  }
  const size = Math.max(...offsets.keys()) + 1;
  const rows = Array.from({ length: size - 1 }, (_, at) => {
    const offset = offsets.get(at + 1);
    return offset === undefined ? '0000000000 00000 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = length;
  put(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`));
  put(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`));
  return Buffer.concat(pieces);
}
