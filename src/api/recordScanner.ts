/** The documented fields of a document record (interface 2.2). All others are skipped. */
const FIELDS: ReadonlySet<string> = new Set(['name', 'endpointUid', 'status']);
/** Bytes kept of a key or value. A name is far shorter; of a longer status, the beginning is enough. */
const MOST_CAPTURED = 16 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\,:{}[]');
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

type ScanState =
  /** Before and after the record. */
  | 'start'
  | 'end'
  /** In the record itself. */
  | 'firstKey'
  | 'key'
  | 'colon'
  | 'value'
  | 'word'
  | 'comma'
  /** In a list or object inside the record, at any depth. */
  | 'nested'
  | 'broken';

/**
 * Reads the documented fields of a record that is too large to keep, as its chunks arrive. Like `JSON.parse`, it uses the last of
 * several fields with the same name. Inside nested values, only brackets and strings are tracked.
 */
export class RecordScanner {
  readonly #found = new Map<string, unknown>();
  #state: ScanState = 'start';
  #depth = 0;
  #read = 0;
  #inText = false;
  #isEscaped = false;
  #key = '';
  /** The current string or word, unparsed. */
  #captured: number[] = [];

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#state !== 'broken'; at += 1) {
      if (this.#inText) at = this.#passOver(chunk, at);
      const byte = chunk[at];
      if (byte === undefined) return;
      if (this.#inText) this.#text(byte);
      else this.#step(byte);
      this.#read += 1;
    }
  }

  /** Skips to the next byte that matters inside a string that needs no more capturing: nearly all of a large record is such text. */
  #passOver(chunk: Uint8Array, from: number): number {
    if (this.#isEscaped || (this.#state !== 'nested' && this.#captured.length < MOST_CAPTURED)) return from;
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) return at;
    }
    return chunk.length;
  }

  /** The fields found; null if the input was not one complete JSON object. */
  end(): Readonly<Record<string, unknown>> | null {
    return this.#state === 'end' ? Object.fromEntries(this.#found) : null;
  }

  #text(byte: number): void {
    // JSON strings have no unescaped control characters.
    if (byte < 0x20) return this.#break();
    if (!this.#isEscaped && byte === QUOTE) {
      this.#inText = false;
      return this.#endText();
    }
    this.#isEscaped = !this.#isEscaped && byte === BACKSLASH;
    if (this.#state !== 'nested') this.#capture(byte);
  }

  #endText(): void {
    if (this.#state === 'nested') return;
    const text = this.#takeText();
    if (text === null) return this.#break();
    if (this.#state === 'value') this.#value(text);
    else {
      this.#key = text;
      this.#state = 'colon';
    }
  }

  #step(byte: number): void {
    if (isSpace(byte)) {
      if (this.#state === 'word') this.#endWord();
      return;
    }
    switch (this.#state) {
      case 'start':
        if (byte === BYTE_ORDER_MARK[this.#read]) return;
        return byte === OPEN ? this.#go('firstKey') : this.#break();
      case 'firstKey':
        return byte === CLOSE ? this.#go('end') : this.#beginText(byte);
      case 'key':
        return this.#beginText(byte);
      case 'colon':
        return byte === COLON ? this.#go('value') : this.#break();
      case 'value':
        return this.#beginValue(byte);
      case 'word':
        if (byte !== COMMA && byte !== CLOSE) return this.#capture(byte);
        this.#endWord();
        return this.#step(byte);
      case 'comma':
        if (byte === COMMA) return this.#go('key');
        return byte === CLOSE ? this.#go('end') : this.#break();
      case 'nested':
        return this.#nested(byte);
      case 'end':
      case 'broken':
        return this.#break();
    }
  }

  #beginText(byte: number): void {
    if (byte === QUOTE) this.#inText = true;
    else this.#break();
  }

  #beginValue(byte: number): void {
    if (byte === QUOTE) this.#inText = true;
    else if (byte === OPEN || byte === OPEN_LIST) {
      this.#state = 'nested';
      this.#depth = 1;
    } else {
      this.#state = 'word';
      this.#capture(byte);
    }
  }

  #nested(byte: number): void {
    if (byte === QUOTE) this.#inText = true;
    else if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#value(undefined);
    }
  }

  #value(value: unknown): void {
    if (FIELDS.has(this.#key)) this.#found.set(this.#key, value);
    this.#state = 'comma';
  }

  /** A number, true, false or null. */
  #endWord(): void {
    const word = Buffer.from(this.#captured.splice(0)).toString('latin1');
    if (word.length < MOST_CAPTURED && parsed(word) === undefined) this.#break();
    else this.#value(undefined);
  }

  /** Null if it is not a valid JSON string. */
  #takeText(): string | null {
    const bytes = Buffer.from(this.#captured.splice(0));
    const isWhole = bytes.length < MOST_CAPTURED;
    const inner = new TextDecoder().decode(bytes, { stream: !isWhole });
    // A string that was cut may end within an escape sequence, or within two (a surrogate pair).
    const ends = isWhole ? [0] : Array.from({ length: 12 }, (_, index) => index);
    const tried = ends.map((less) => parsed(`"${inner.slice(0, inner.length - less)}"`));
    const text = tried.find((each) => each !== undefined);
    return typeof text === 'string' ? text : null;
  }

  #capture(byte: number): void {
    if (this.#captured.length < MOST_CAPTURED) this.#captured.push(byte);
  }

  #go(state: ScanState): void {
    this.#state = state;
  }

  #break(): void {
    this.#state = 'broken';
    this.#inText = false;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
