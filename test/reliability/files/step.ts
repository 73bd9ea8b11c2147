/**
 * What the campaign does to the file system, by one or a few system calls. Paths are relative to the round's place, with `/` between
 * segments; each character is a byte (latin1), since names may be invalid UTF-8.
 */
export type Step =
  | { readonly do: 'mkdir'; readonly path: string }
  /** `new` fails if the file exists, `truncate` empties it, `existing` leaves its bytes. */
  | {
      readonly do: 'open';
      readonly path: string;
      readonly handle: number;
      readonly how: 'new' | 'truncate' | 'existing';
    }
  | { readonly do: 'write'; readonly handle: number; readonly at: number; readonly bytes: Buffer }
  | { readonly do: 'resize'; readonly handle: number; readonly size: number }
  | { readonly do: 'close'; readonly handle: number }
  | { readonly do: 'truncate'; readonly path: string; readonly size: number }
  | { readonly do: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly do: 'remove' | 'removeTree'; readonly path: string }
  /** `target` as stored in the link; a leading `$` stands for the round's place, absolute. */
  | { readonly do: 'symlink'; readonly target: string; readonly path: string }
  | { readonly do: 'fifo' | 'socket'; readonly path: string }
  | { readonly do: 'touch'; readonly path: string }
  /** Writes other bytes of the same number, and restores the modification time. */
  | { readonly do: 'backdate'; readonly path: string; readonly bytes: Buffer }
  /** A file that gets its name once it is complete (O_TMPFILE). */
  | { readonly do: 'unnamed'; readonly path: string; readonly bytes: Buffer }
  | { readonly do: 'mode'; readonly path: string; readonly closed: boolean }
  | { readonly do: 'pause'; readonly ms: number }
  /** Waits until the agent has done everything. */
  | { readonly do: 'settle' | 'stopAgent' | 'startAgent' }
  | { readonly do: 'outage'; readonly on: boolean };

/** One line of a round's story, for people. */
export function describeStep(step: Step): string {
  const { do: what, ...rest } = step;
  const fields = Object.entries(rest).map(([key, value]: [string, unknown]) =>
    Buffer.isBuffer(value) ? `${key}=${value.length} bytes` : `${key}=${JSON.stringify(value)}`,
  );
  return [what, ...fields].join(' ');
}
