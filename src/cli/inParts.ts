import type { Config } from '../config/config.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import type { Io } from './io.ts';
import { ProgressLine } from './progressLine.ts';
import { operate } from './session.ts';

type InParts = 'retry' | 'erase' | 'dismiss';

/**
 * Acts on any number of documents in parts of a few seconds, so that the agent can serve other requests in between. An
 * interrupted command is resumed by running it again.
 *
 * @param told returns the line to print after each part
 */
export async function inParts<O extends InParts>(
  io: Io,
  config: Config,
  operation: O,
  request: Request<O>,
  told: (parts: readonly Response<O>[]) => string,
): Promise<[Response<O>, ...Response<O>[]]> {
  const line = io.stderr.isTTY ? new ProgressLine(io.stderr) : null;
  const parts: Response<O>[] = [];
  try {
    let after: number | null = 0;
    do {
      const part: Response<O> = await operate(io, config, operation, {
        ...request,
        ...(after > 0 && { after }),
      });
      parts.push(part);
      after = part.next;
      line?.show(told(parts));
    } while (after !== null);
  } finally {
    line?.close();
  }
  return parts as [Response<O>, ...Response<O>[]];
}
