import type { IncomingMessage } from 'node:http';

/** Far above any token or endpoint request, yet harmless. */
const JSON_LIMIT = 1_000_000;

/** Reads to the end, so that the connection can be reused after an early refusal. */
export async function drain(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) void chunk;
}

/** The request's JSON value, or an error message. Rejects only if the client went away. */
export async function readJson(
  request: IncomingMessage,
): Promise<{ ok: true; value: unknown } | { ok: false; message: string }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= JSON_LIMIT) chunks.push(chunk);
  }
  if (size > JSON_LIMIT) return { ok: false, message: `the body has ${size} bytes, more than ${JSON_LIMIT}` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return {
      ok: false,
      message: `the body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    };
  }
}
