/** Turns a plan into the bytes of the answer and their meaning, derived from how they were built rather than by parsing them. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bodyOf, type Body, type Context, type Worth } from './bodies.ts';
import { frame, type Framed } from './framing.ts';
import { headers, type Header } from './headers.ts';
import type { Plan } from './plan.ts';

export interface Wire {
  readonly bytes: Buffer;
  readonly endless: Buffer | null;
  /** Bytes that follow if the answer is not cut; null if none. */
  readonly second: Buffer | null;
  /** What happens to the connection afterwards. */
  readonly last: 'end' | 'reset' | 'stall' | Plan['after'];
  readonly truth: Truth;
}

/** The meaning of an answer. */
export interface Truth {
  /** The final status if its head arrived completely. `unsure`: careful readers disagree whether this is HTTP. */
  readonly status: number | null;
  readonly unsure: boolean;
  /** Whether the head is not HTTP by any reading. */
  readonly malformed: boolean;
  /** Whether the complete message arrived. */
  readonly whole: boolean;
  /** Whether the complete body is the record that the interface promises, for the requested name. */
  readonly worth: Worth;
  readonly token: unknown;
  /** The requested wait in milliseconds; undefined if ambiguous. */
  readonly retryAfterMs: number | null | undefined;
  readonly stalls: boolean;
  /** Whether it was sent before the whole request was read. */
  readonly early: boolean;
}

function encode(plan: Plan, { bytes }: Body): { bytes: Buffer; line: string; readable: boolean } {
  switch (plan.coding) {
    case 'none':
      return { bytes, line: '', readable: true };
    case 'gzip':
      return { bytes: gzipSync(bytes, { level: 1 }), line: 'Content-Encoding: gzip', readable: false };
    case 'gzipUnsaid':
      return { bytes: gzipSync(bytes, { level: 1 }), line: '', readable: false };
    case 'deflate':
      return { bytes: deflateSync(bytes, { level: 1 }), line: 'Content-Encoding: deflate', readable: false };
    case 'br':
      return {
        bytes: brotliCompressSync(bytes.subarray(0, 100_000)),
        line: 'Content-Encoding: br',
        readable: false,
      };
    case 'gzipSaidOnly':
      return { bytes, line: 'Content-Encoding: gzip', readable: true };
  }
}

export function wireOf(plan: Plan, context: Context): Wire {
  const body = bodyOf(plan, context);
  const encoded = encode(plan, body);
  const known = headers(context);
  const chosen = plan.headers.map((at) => known[at % known.length] as Header);
  const isBodiless = plan.status === 204 || plan.status === 304 || plan.status < 200;
  // An endless body announces a length that is never reached.
  const framed: Framed = body.endless
    ? { lines: ['Content-Length: 999999999999'], bytes: encoded.bytes, kind: 'fine', ends: 'never' }
    : frame(plan.framing, encoded.bytes);
  const status = String(plan.status).padStart(3, '0');
  const head = [
    ...plan.interim.map((each) => `HTTP/1.1 ${each} Wait\r\nX-Interim: 1\r\n\r\n`),
    `${plan.version} ${status} ${plan.reason}\r\n`,
    ...[...chosen.map(({ line }) => line), ...(encoded.line ? [encoded.line] : []), ...framed.lines].map(
      (line) => `${line}\r\n`,
    ),
    '\r\n',
  ].join('');
  const headBytes = Buffer.from(head, 'latin1');
  const all = Buffer.concat([headBytes, isBodiless ? Buffer.alloc(0) : framed.bytes]);
  const cutAt = plan.cut === null ? all.length : Math.floor(plan.cut.at * all.length);

  const isOddVersion = !/^HTTP\/1\.[01]$/.test(plan.version);
  // undici's parser also accepts RTSP, which has the same form.
  const isNoVersion = !/^(HTTP|RTSP)\/\d\.\d$/.test(plan.version);
  const hasOddReason = /[\u0000\u0007]/.test(plan.reason);
  const isOddStart = plan.interim.some((each) => each === 100 || each === 101) || plan.status < 100;
  const kinds = [framed.kind, ...chosen.map(({ kind }) => kind)];
  const isClosed = /connection: close/i.test(head);
  // With several headers of one kind, it is undefined which one counts.
  const repeats = new Set(chosen.map(({ line }) => line.split(':')[0]?.toLowerCase())).size < chosen.length;
  const demands = chosen.flatMap(({ retryAfterMs }) => (retryAfterMs === undefined ? [] : [retryAfterMs]));
  const isCut = plan.cut !== null && cutAt < all.length;
  const last = isCut ? plan.cut.how : plan.after;
  const isLeftOpen = last !== 'end' && last !== 'reset';
  const byClose = framed.ends === 'byClose' && !isLeftOpen;
  const ends = isBodiless || framed.ends === 'itself' || byClose;
  const whole = cutAt >= headBytes.length && (byClose || (!isCut && ends));
  const malformed = kinds.includes('malformed') || isNoVersion;
  const missing = byClose ? all.subarray(cutAt) : Buffer.alloc(0);
  const isLess = isCut && !byClose && body.bytes.length > 0;
  // A record that only lost trailing spaces is still complete.
  const lacksSpaces =
    !isBodiless &&
    encoded.readable &&
    (plan.framing === 'lengthTooSmall' ? plan.shape === 'padded' : missing.length > 0 && isBlank(missing));
  const isBroken = isBodiless || framed.garbled === true || !encoded.readable || isLess || missing.length > 0;
  const worth: Worth = lacksSpaces && !isLess ? 'maybe' : isBroken ? 'wrong' : body.worth;
  return {
    bytes: all.subarray(0, cutAt),
    endless: isCut || isBodiless ? null : body.endless,
    second: isCut ? null : secondOf(plan, all),
    last,
    truth: {
      status: plan.status >= 200 && cutAt >= headBytes.length ? plan.status : null,
      unsure:
        isOddStart ||
        hasOddReason ||
        isOddVersion ||
        kinds.includes('unsure') ||
        plan.coding === 'gzipSaidOnly' ||
        repeats ||
        headBytes.length > 15_000 ||
        last === 'reset' ||
        (isClosed && plan.after !== 'end'),
      malformed,
      whole: whole && body.endless === null,
      worth,
      token: body.token,
      retryAfterMs: repeats || demands.length > 1 ? undefined : (demands[0] ?? null),
      stalls: isLeftOpen && (isCut || !ends || isOddStart || body.endless !== null),
      early: plan.start !== 'all',
    },
  };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.toString('latin1').trim() === '';
}

/** An unsolicited answer on the same connection. */
function secondOf({ after }: Plan, all: Buffer): Buffer | null {
  if (after === 'garbage') return Buffer.from('\r\n\r\ngarbage\r\n');
  return after === 'second' || after === 'secondLater' ? all : null;
}
