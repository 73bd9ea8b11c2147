import type { Config } from '../config/config.ts';
import { UPLOADS } from '../control/protocol/sending.ts';
import type { UploadRoute } from '../control/uploads.ts';
import type { Generations } from '../daemon/generations.ts';
import { ByteBudget } from '../keeper/byteBudget.ts';
import type { Running } from './generation.ts';
import { receivedLimit, tooLargeToReceive } from './sendFile.ts';

/**
 * Memory for files that are arriving from browsers, in bytes. It is not the memory of the watched folders, which a slow
 * browser could block.
 */
const ARRIVING_BYTES = 64 * 1024 * 1024;

/**
 * Receives files from browsers. Until one has arrived completely, it is only in memory, so that nothing is left of a file that is
 * cut off.
 */
export function receiveFiles(generations: Generations<Config, Running>): UploadRoute {
  const memory = new ByteBudget(ARRIVING_BYTES);
  return {
    ...UPLOADS.file,
    async receive({ query, size, body }) {
      const limit = receivedLimit(generations.current.config, query.endpoint);
      return memory.with(Math.min(size ?? limit, limit), async () => {
        const { bytes, length } = await upTo(limit, body);
        if (bytes === null) return tooLargeToReceive(length, limit);
        return generations.act((running) => running.receive({ query, bytes }));
      });
    },
  };
}

/** Everything that arrives; without the bytes if they are more than `limit`. */
async function upTo(
  limit: number,
  body: AsyncIterable<Buffer>,
): Promise<{ readonly bytes: Buffer | null; readonly length: number }> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else chunks = [];
  }
  return { bytes: length <= limit ? Buffer.concat(chunks, length) : null, length };
}
