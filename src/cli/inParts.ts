import type { Config } from '../config/config.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import type { Io } from './io.ts';
import { ProgressLine } from './progressLine.ts';
import { operate } from './session.ts';

type PartsOptions = 'retry' | 'erase' | 'dismiss';

/**
 * Acts on any number of documents in parts of a few seconds, so that the agent can serve other requests in between. An
 * interrupted command is resumed by running it again.
 *
 * @param countOf how many documents a part changed
 * @param told returns the line to show after each part, for all of them so far
 */
export async function inParts<O extends PartsOptions>(
  io: Io,
  config: Config,
  operation: O,
  request: Request<O>,
  countOf: (part: Response<O>) => number,
  told: (count: number) => string,
): Promise<{ readonly parts: [Response<O>, ...Response<O>[]]; readonly count: number }> {
  const line = io.stderr.isTTY ? new ProgressLine(io.stderr) : null;
  const parts: Response<O>[] = [];
  let count = 0;
  try {
    let after: number | null = 0;
    do {
      const part: Response<O> = await operate(io, config, operation, {
        ...request,
        ...(after > 0 && { after }),
      });
      parts.push(part);
      after = part.next;
      count += countOf(part);
      line?.show(told(count));
    } while (after !== null);
  } finally {
    line?.close();
  }
  return { parts: parts as [Response<O>, ...Response<O>[]], count };
}
