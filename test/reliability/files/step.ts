/**
 * What the campaign does to the file system, one system call or a few each. Paths are relative to the round's place, with
 * `/` between segments; each character is a byte (latin1), since a name may be no valid UTF-8.
 */
export type Step =
  | { readonly do: 'mkdir'; readonly path: string }
  /** `new` fails where something is, `truncate` empties it, `existing` leaves its bytes. */
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
  /** `target` as it stands in the link; `$` at its beginning is the round's place, absolute. */
  | { readonly do: 'symlink'; readonly target: string; readonly path: string }
  | { readonly do: 'fifo' | 'socket'; readonly path: string }
  | { readonly do: 'touch'; readonly path: string }
  /** Other bytes of the same number, and the time of the last change set back to what it was. */
  | { readonly do: 'backdate'; readonly path: string; readonly bytes: Buffer }
  /** A file that gets its name once it is whole (O_TMPFILE). */
  | { readonly do: 'unnamed'; readonly path: string; readonly bytes: Buffer }
  | { readonly do: 'mode'; readonly path: string; readonly closed: boolean }
  | { readonly do: 'pause'; readonly ms: number }
  /** Until the agent has done all that there is to do. */
  | { readonly do: 'settle' | 'stopAgent' | 'startAgent' }
  | { readonly do: 'outage'; readonly on: boolean };

/** One line for a person who reads the story of a round. */
export function describeStep(step: Step): string {
  const { do: what, ...rest } = step;
  const fields = Object.entries(rest).map(([key, value]: [string, unknown]) =>
    Buffer.isBuffer(value) ? `${key}=${value.length} bytes` : `${key}=${JSON.stringify(value)}`,
  );
  return [what, ...fields].join(' ');
}
