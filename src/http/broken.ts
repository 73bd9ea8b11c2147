import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemCode } from '../core/domain/errors.ts';

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers requests that are malformed or time out. Logs nothing: anyone who reaches the port could fill the log. */
export function answerBroken(error: Error, socket: Duplex): void {
  const code = systemCode(error) ?? '';
  const isHttp = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // If an answer has already started, a second one would be read as part of it.
  const { _httpMessage: answer } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (!isHttp || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  const status = STATUS[code] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}
