/*
 * Reads the objects of a PDF (ISO 32000-1, 7.2 and 7.3): enough for files that PDFium writes and for content streams. Anything else is a
 * SyntaxError.
 */

export type PdfDict = ReadonlyMap<string, PdfValue>;
export type PdfValue = null | boolean | number | Name | Ref | typeof TEXT | readonly PdfValue[] | PdfDict;

export class Name {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Reference to an indirect object. */
export class Ref {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

/** A string; its content is of no interest. */
const TEXT = Symbol('string');

const SPACE = new Set([0, 9, 10, 12, 13, 32]);
const DELIMITERS = new Set(Buffer.from('()<>[]{}/%'));
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
const MOST_NESTED = 32;

export class Lexer {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#bytes.length;
  }

  isNext(word: string): boolean {
    this.#skip();
    return this.#bytes.toString('latin1', this.#at, this.#at + word.length) === word;
  }

  /** A keyword or an operator. */
  word(): string {
    const value = this.valueOrWord();
    if (value !== null && typeof value === 'object' && 'word' in value) return value.word;
    throw new SyntaxError();
  }

  number(): number {
    const value = this.valueOrWord();
    if (typeof value === 'number') return value;
    throw new SyntaxError();
  }

  /** A value; two integers and `R` are a reference. */
  value(nested = 0): PdfValue {
    const value = this.valueOrWord(nested);
    if (value !== null && typeof value === 'object' && 'word' in value) throw new SyntaxError();
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) return value;
    const reference = /^[\s\0]+\d+[\s\0]+R(?![^\s\0()<>[\]{}/%])/.exec(
      this.#bytes.toString('latin1', this.#at, this.#at + 24),
    );
    if (reference === null) return value;
    this.#at += reference[0].length;
    return new Ref(value);
  }

  /** As `value`, without references, and with words: the operands and operators of a content stream. */
  valueOrWord(nested = 0): PdfValue | { readonly word: string } {
    if (nested > MOST_NESTED) throw new SyntaxError();
    this.#skip();
    const bytes = this.#bytes;
    switch (bytes[this.#at]) {
      case 0x2f: // /
        this.#at += 1;
        return new Name(
          this.#regular().replace(/#([0-9A-Fa-f]{2})/g, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          ),
        );
      case 0x28: // (
        return this.#string();
      case 0x5b: // [
        this.#at += 1;
        return this.#upTo(']', nested);
      case 0x3c: // <
        if (bytes[this.#at + 1] === 0x3c) {
          this.#at += 2;
          return this.#dictionary(this.#upTo('>>', nested));
        }
        return this.#hexadecimal();
      default:
        return this.#word();
    }
  }

  #word(): number | boolean | null | { readonly word: string } {
    const word = this.#regular();
    if (NUMBER.test(word)) return Number(word);
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    if (word === '') throw new SyntaxError();
    return { word };
  }

  /** The position after the end of the line, where a stream begins. */
  endOfLine(): number {
    if (this.#bytes[this.#at] === 0x0d) this.#at += 1;
    if (this.#bytes[this.#at] === 0x0a) this.#at += 1;
    return this.#at;
  }

  #upTo(end: ']' | '>>', nested: number): PdfValue[] {
    const values: PdfValue[] = [];
    while (!this.isNext(end)) values.push(this.value(nested + 1));
    this.#at += end.length;
    return values;
  }

  #dictionary(values: readonly PdfValue[]): PdfDict {
    const dict = new Map<string, PdfValue>();
    for (let index = 0; index < values.length; index += 2) {
      const key = values[index];
      // A key that comes twice is one that readers may understand differently.
      if (!(key instanceof Name) || index + 1 >= values.length || dict.has(key.text)) throw new SyntaxError();
      dict.set(key.text, values[index + 1] ?? null);
    }
    return dict;
  }

  #string(): typeof TEXT {
    let depth = 0;
    for (; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === 0x5c)
        this.#at += 1; // \
      else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) {
        depth -= 1;
        if (depth > 0) continue;
        this.#at += 1;
        return TEXT;
      }
    }
    throw new SyntaxError();
  }

  #hexadecimal(): typeof TEXT {
    const end = this.#bytes.indexOf('>', this.#at);
    if (end < 0) throw new SyntaxError();
    this.#at = end + 1;
    return TEXT;
  }

  #regular(): string {
    const from = this.#at;
    while (this.#at < this.#bytes.length) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (SPACE.has(byte) || DELIMITERS.has(byte)) break;
      this.#at += 1;
    }
    return this.#bytes.toString('latin1', from, this.#at);
  }

  #skip(): void {
    while (this.#at < this.#bytes.length) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte === 0x25) {
        while (this.#at < this.#bytes.length && this.#bytes[this.#at] !== 10 && this.#bytes[this.#at] !== 13)
          this.#at += 1;
      } else if (!SPACE.has(byte)) return;
      this.#at += 1;
    }
  }
}
