import { inflateSync } from 'node:zlib';
import { Lexer, Name, Ref, type PdfDict, type PdfValue } from './pdfSyntax.ts';

/*
 * Decides whether a page shows exactly one JPEG, as the JPEG says itself. It is an allow-list: whatever is not listed here (a mask, a
 * colour space, a clip, a layer, a filter, an operator) makes the page one that has to be drawn. PDFium writes the page to a file of
 * its own first, so this reads what PDFium draws, in one simple form, whatever the structure of the original file.
 */

type Matrix = readonly [number, number, number, number, number, number];
type Box = readonly [number, number, number, number];

/** How far an image may extend beyond the page through rounding, as a share of the page's size. */
const BEYOND = 0.02;
/** How much of the page an image may leave white at each edge through rounding, as a share of its size. */
const SHORT = 0.01;
/** How much an image may be turned or skewed through rounding, as a share of its size. */
const SKEWED = 0.001;
/** How much the shape of pixels may differ from a square. */
export const SQUASHED = 0.01;
/** Decoded content streams are a few lines long for a scan; recognized text may be longer. */
const MOST_CONTENT = 4 * 1024 * 1024;

/** Keys without influence on what a viewer shows. */
const PAGE_KEYS = new Set(
  (
    'Type Parent Resources MediaBox CropBox Contents BleedBox TrimBox ArtBox LastModified StructParents Tabs ' +
    'Metadata PieceInfo Thumb ID B Dur Trans'
  ).split(' '),
);
const IMAGE_KEYS = new Set(
  (
    'Type Subtype Name Width Height ColorSpace BitsPerComponent Filter Length Interpolate Intent StructParent ' +
    'Metadata ID'
  ).split(' '),
);
const FORM_KEYS = new Set(
  'Type Subtype FormType Name BBox Matrix Resources Length Filter DecodeParms LastModified StructParent StructParents Metadata PieceInfo'.split(
    ' ',
  ),
);
/** Operators that change neither what is shown nor where, as long as only one image is painted. */
const WITHOUT_EFFECT = new Set('w J j M d ri i g G rg RG k K BMC EMC MP'.split(' '));
const TEXT_STATE = new Set('Tc Tw Tz TL Tf Ts Td TD Tm T*'.split(' '));
const TEXT_SHOWN = new Set(['Tj', 'TJ', "'", '"']);
const INVISIBLE = 3;
const MOST_FORMS = 4;
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

export interface ScannedPage {
  /** The JPEG file. */
  readonly jpeg: Buffer;
  /** Its size in pixels and number of colours, as the PDF says (null: in words that are not understood); the JPEG has to say the same. */
  readonly width: number;
  readonly height: number;
  readonly colours: 1 | 3 | null;
}

/** The JPEG that a page shows and nothing else; null if the page is not that plain. `file`: a PDF of this page, written by PDFium. */
export function plainPage(file: Buffer): ScannedPage | null {
  return readAs(file, (page) => page.plainPage());
}

/** The one image of a page, if it is a JPEG; null otherwise. How the page shows it remains to be seen. */
export function onlyJpeg(file: Buffer): ScannedPage | null {
  return readAs(file, (page) => page.onlyJpeg());
}

/** Whether a file is a PDF portfolio (ISO 32000-1, 12.3.5). `file`: written by PDFium. */
export function isPortfolio(file: Buffer | null): boolean {
  return file !== null && readAs(file, (written) => written.isPortfolio()) === true;
}

function readAs<T>(file: Buffer, read: (written: WrittenFile) => T): T | null {
  try {
    return read(new WrittenFile(file));
  } catch (error) {
    // The last: content that can't be inflated.
    const isExpected = [NotPlain, SyntaxError, RangeError].some((kind) => error instanceof kind);
    if (isExpected || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

class NotPlain extends Error {}

function need(condition: unknown): asserts condition {
  if (!condition) throw new NotPlain();
}

interface Stream {
  readonly dict: PdfDict;
  readonly bytes: Buffer;
}

class WrittenFile {
  readonly #file: Buffer;
  readonly #offsets = new Map<number, number>();
  readonly #trailer: PdfDict;

  constructor(file: Buffer) {
    this.#file = file;
    const tail = file.toString('latin1', Math.max(0, file.length - 64));
    const start = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail);
    need(start);
    const lexer = new Lexer(file, Number(start[1]));
    need(lexer.word() === 'xref');
    for (let first = lexer.value(); typeof first === 'number'; first = lexer.value()) {
      const count = lexer.number();
      for (let index = 0; index < count; index += 1) {
        const offset = lexer.number();
        lexer.number();
        if (lexer.word() === 'n') this.#offsets.set(first + index, offset);
      }
      if (lexer.isNext('trailer')) break;
    }
    need(lexer.word() === 'trailer');
    this.#trailer = this.#dict(lexer.value());
  }

  isPortfolio(): boolean {
    return this.#dict(this.#trailer.get('Root')).has('Collection');
  }

  /** The JPEG, if there is one image only in all of the file. */
  onlyJpeg(): ScannedPage {
    const images = [...this.#offsets.keys()].flatMap((number) => {
      const value = this.#value(new Ref(number));
      return value instanceof Map && isName(this.#value(value.get('Subtype')), 'Image')
        ? [new Ref(number)]
        : [];
    });
    need(images.length === 1);
    const { dict, bytes } = this.#stream(images[0]);
    const [width, height] = [this.#value(dict.get('Width')), this.#value(dict.get('Height'))];
    need(
      this.#isJpeg(dict) &&
        typeof width === 'number' &&
        typeof height === 'number' &&
        width > 0 &&
        height > 0,
    );
    return { jpeg: bytes, width, height, colours: null };
  }

  plainPage(): ScannedPage {
    const pages = this.#dict(this.#dict(this.#trailer.get('Root')).get('Pages'));
    const kids = this.#value(pages.get('Kids'));
    need(Array.isArray(kids) && kids.length === 1);
    const page = this.#dict(kids[0]);
    for (const [key, value] of page) {
      if (key === 'Rotate') need(this.#value(value) === 0);
      else if (key === 'UserUnit') need(this.#value(value) === 1);
      else if (key === 'Group') this.#needHarmless(this.#dict(value));
      else if (key === 'Annots') need((this.#value(value) as PdfValue[]).length === 0);
      else need(PAGE_KEYS.has(key));
    }
    const media = this.#box(page.get('MediaBox'));
    const crop = page.has('CropBox') ? intersection(this.#box(page.get('CropBox')), media) : media;
    const content = new PageContent(crop, (resources, name) => this.#object(resources, name));
    content.run({ bytes: this.#content(page.get('Contents')), resources: page.get('Resources') }, IDENTITY);
    const { image, matrix } = content.painted();
    return this.#image(image, matrix, crop);
  }

  /** An image, or a form: a content stream that is painted like one. */
  #object(resources: PdfValue | undefined, name: string): Stream | Form {
    const object = this.#stream(this.#dict(this.#dict(resources).get('XObject')).get(name));
    const { dict } = object;
    if (!isName(this.#value(dict.get('Subtype')), 'Form')) return object;
    for (const [key, value] of dict) {
      if (key === 'Group') this.#needHarmless(this.#dict(value));
      else need(FORM_KEYS.has(key));
    }
    const matrix = this.#value(dict.get('Matrix'));
    return {
      bytes: this.#inflated(object),
      resources: dict.get('Resources'),
      matrix: Array.isArray(matrix) ? asMatrix(matrix.map((each) => this.#value(each))) : IDENTITY,
      box: this.#box(dict.get('BBox')),
    };
  }

  #image({ dict, bytes }: Stream, [a, b, c, d, e, f]: Matrix, page: Box): ScannedPage {
    for (const key of dict.keys()) need(IMAGE_KEYS.has(key) || (key === 'DecodeParms' && this.#isNull(dict)));
    const is = (key: string): PdfValue => this.#value(dict.get(key) ?? null);
    need(isName(is('Subtype'), 'Image') && is('BitsPerComponent') === 8);
    need(this.#isJpeg(dict));
    const space = is('ColorSpace');
    const colours = isName(space, 'DeviceRGB') ? 3 : isName(space, 'DeviceGray') ? 1 : 0;
    const [width, height] = [is('Width'), is('Height')];
    need(colours !== 0 && typeof width === 'number' && typeof height === 'number' && width > 0 && height > 0);
    const most = SKEWED * Math.max(a, d);
    need(a > 0 && d > 0 && Math.abs(b) <= most && Math.abs(c) <= most);
    need(Math.abs((a * height) / (d * width) - 1) <= SQUASHED);
    const place: Box = [e, f, e + a, f + d];
    need(contains(page, place) && contains(place, page, SHORT));
    return { jpeg: bytes, width, height, colours };
  }

  #isJpeg(dict: PdfDict): boolean {
    const filter = this.#value(dict.get('Filter'));
    return isName(
      Array.isArray(filter) && filter.length === 1 ? this.#value(filter[0]) : filter,
      'DCTDecode',
    );
  }

  #isNull(dict: PdfDict): boolean {
    const value = this.#value(dict.get('DecodeParms'));
    const only = Array.isArray(value) && value.length === 1 ? this.#value(value[0]) : value;
    return only === null || (only instanceof Map && only.size === 0);
  }

  /** A transparency group without a colour space of its own, or with that of the image. */
  #needHarmless(group: PdfDict): void {
    const space = this.#value(group.get('CS'));
    need(isName(this.#value(group.get('S')), 'Transparency'));
    need(space === null || isName(space, 'DeviceRGB') || isName(space, 'DeviceGray'));
  }

  #content(value: PdfValue | undefined): Buffer {
    const contents = this.#value(value);
    const refs = Array.isArray(contents) ? contents : [value];
    const pieces = refs.flatMap((each) => [this.#inflated(this.#stream(each)), Buffer.from('\n')]);
    return Buffer.concat(pieces);
  }

  #inflated({ dict, bytes }: Stream): Buffer {
    const filter = this.#value(dict.get('Filter'));
    need(this.#value(dict.get('DecodeParms')) === null);
    if (filter === null || (Array.isArray(filter) && filter.length === 0)) return bytes;
    const only = Array.isArray(filter) && filter.length === 1 ? this.#value(filter[0]) : filter;
    need(isName(only, 'FlateDecode'));
    return inflateSync(bytes, { maxOutputLength: MOST_CONTENT });
  }

  #box(value: PdfValue | undefined): Box {
    const box = this.#value(value);
    need(Array.isArray(box) && box.length === 4);
    const [a, b, c, d] = box.map((each) => this.#value(each));
    need(typeof a === 'number' && typeof b === 'number' && typeof c === 'number' && typeof d === 'number');
    return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  }

  #dict(value: PdfValue | undefined): PdfDict {
    const dict = this.#value(value);
    need(dict instanceof Map);
    return dict;
  }

  #value(value: PdfValue | undefined): PdfValue {
    if (!(value instanceof Ref)) return value ?? null;
    const lexer = this.#at(value);
    const found = lexer.value();
    need(!(found instanceof Ref));
    return found;
  }

  #stream(ref: PdfValue | undefined): Stream {
    need(ref instanceof Ref);
    const lexer = this.#at(ref);
    const dict = lexer.value();
    need(dict instanceof Map && lexer.word() === 'stream');
    const length = this.#value(dict.get('Length'));
    need(typeof length === 'number');
    const start = lexer.endOfLine();
    need(start + length <= this.#file.length);
    return { dict, bytes: this.#file.subarray(start, start + length) };
  }

  #at(ref: Ref): Lexer {
    const offset = this.#offsets.get(ref.number);
    need(offset !== undefined);
    const lexer = new Lexer(this.#file, offset);
    need(lexer.number() === ref.number);
    lexer.number();
    need(lexer.word() === 'obj');
    return lexer;
  }
}

interface Form {
  readonly bytes: Buffer;
  readonly resources: PdfValue | undefined;
  readonly matrix: Matrix;
  /** What is painted outside of it is not shown. */
  readonly box: Box;
}

interface GraphicsState {
  readonly matrix: Matrix;
  readonly rendering: number;
}

interface Painted {
  readonly image: Stream;
  readonly matrix: Matrix;
}

/** Runs content streams that paint one image, and apart from it only text that is invisible. */
class PageContent {
  readonly #page: Box;
  readonly #object: (resources: PdfValue | undefined, name: string) => Stream | Form;
  #resources: PdfValue | undefined;
  #saved: GraphicsState[] = [];
  #matrix: Matrix = IDENTITY;
  #rendering = 0;
  /** The current path: whether it is one rectangle around the whole page. Null if there is none. */
  #isWhole: boolean | null = null;
  #isClipping = false;
  #nested = 0;
  #painted: Painted | null = null;

  constructor(page: Box, object: (resources: PdfValue | undefined, name: string) => Stream | Form) {
    this.#page = page;
    this.#object = object;
  }

  painted(): Painted {
    need(this.#painted !== null);
    return this.#painted;
  }

  run({ bytes, resources }: Pick<Form, 'bytes' | 'resources'>, matrix: Matrix): void {
    need(this.#nested < MOST_FORMS);
    const before = [this.#resources, this.#saved, this.#matrix, this.#rendering] as const;
    this.#nested += 1;
    [this.#resources, this.#saved, this.#matrix] = [resources, [], matrix];
    const lexer = new Lexer(bytes, 0);
    let operands: PdfValue[] = [];
    while (!lexer.isAtEnd()) {
      const value = lexer.valueOrWord();
      if (typeof value === 'object' && value !== null && 'word' in value) {
        this.#run(value.word, operands);
        operands = [];
      } else operands.push(value);
    }
    need(this.#isWhole === null);
    this.#nested -= 1;
    [this.#resources, this.#saved, this.#matrix, this.#rendering] = before;
  }

  #run(operator: string, operands: readonly PdfValue[]): void {
    if (WITHOUT_EFFECT.has(operator) || TEXT_STATE.has(operator)) return;
    if (TEXT_SHOWN.has(operator)) return need(this.#rendering === INVISIBLE);
    switch (operator) {
      case 'BT':
      case 'ET':
        return;
      case 'q':
        this.#saved.push({ matrix: this.#matrix, rendering: this.#rendering });
        return;
      case 'Q': {
        const saved = this.#saved.pop();
        need(saved);
        this.#matrix = saved.matrix;
        this.#rendering = saved.rendering;
        return;
      }
      case 'cm':
        this.#matrix = product(asMatrix(operands), this.#matrix);
        return;
      case 'Tr':
        [this.#rendering = 0] = numbers(operands, 1);
        return;
      case 'BDC':
        // A layer, which may be hidden.
        return need(!isName(operands[0] ?? null, 'OC'));
      case 're':
        // One rectangle; a second one before the path ends is not plain.
        need(this.#isWhole === null);
        this.#isWhole = this.#surrounds(numbers(operands, 4));
        return;
      case 'W':
      case 'W*':
        this.#isClipping = true;
        return;
      case 'n':
        need(!this.#isClipping || this.#isWhole === true);
        this.#isWhole = null;
        this.#isClipping = false;
        return;
      case 'Do': {
        const [name] = operands;
        need(name instanceof Name && this.#isWhole === null);
        const object = this.#object(this.#resources, name.text);
        if ('box' in object) {
          const matrix = product(object.matrix, this.#matrix);
          this.#form(object, matrix);
        } else {
          need(this.#painted === null);
          this.#painted = { image: object, matrix: this.#matrix };
        }
        return;
      }
      default:
        need(false);
    }
  }

  /** A form that paints the image must not cut it; one that paints invisible text may. */
  #form(form: Form, matrix: Matrix): void {
    const before = this.#painted;
    this.run(form, matrix);
    const [x1, y1, x2, y2] = form.box;
    if (this.#painted !== before) need(this.#surrounds([x1, y1, x2 - x1, y2 - y1], matrix));
  }

  /** Whether a rectangle contains the page, so that clipping to it hides nothing. */
  #surrounds(rectangle: readonly number[], matrix = this.#matrix): boolean {
    const [x = 0, y = 0, width = 0, height = 0] = rectangle;
    const [a, b, c, d, e, f] = matrix;
    if (b !== 0 || c !== 0) return false;
    const [x1, x2, y1, y2] = [a * x + e, a * (x + width) + e, d * y + f, d * (y + height) + f];
    const box: Box = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
    return contains(box, this.#page, 0.002);
  }
}

function isName(value: PdfValue, text: string): boolean {
  return value instanceof Name && value.text === text;
}

function numbers(operands: readonly PdfValue[], count: number): number[] {
  need(operands.length === count && operands.every((each) => typeof each === 'number'));
  return operands as number[];
}

function asMatrix(operands: readonly PdfValue[]): Matrix {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers(operands, 6);
  return [a, b, c, d, e, f];
}

/** `first` is applied before `then`. */
function product(first: Matrix, then: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [A, B, C, D, E, F] = then;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

function intersection([a, b, c, d]: Box, [A, B, C, D]: Box): Box {
  const box: Box = [Math.max(a, A), Math.max(b, B), Math.min(c, C), Math.min(d, D)];
  need(box[0] < box[2] && box[1] < box[3]);
  return box;
}

function contains([a, b, c, d]: Box, [x1, y1, x2, y2]: Box, beyond = BEYOND): boolean {
  const [x, y] = [beyond * (c - a), beyond * (d - b)];
  return x1 >= a - x && y1 >= b - y && x2 <= c + x && y2 <= d + y;
}
