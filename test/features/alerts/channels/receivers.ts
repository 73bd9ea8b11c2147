import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { listen } from '../../../support/ports.ts';

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly user: string | null;
  readonly isEncrypted: boolean;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly raw: string;
}

/** A real mail server on loopback. */
export async function mailServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onData(stream, { envelope, user, secure }, done) {
      stream.once('end', () => done());
      void buffer(stream).then((bytes) => {
        const raw = bytes.toString('utf8');
        const end = raw.indexOf('\r\n\r\n');
        const head = raw.slice(0, end);
        mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          user: typeof user === 'string' ? user : null,
          isEncrypted: secure,
          headers: headersOf(head),
          text: decoded(raw.slice(end + 4), head),
          raw,
        });
      });
    },
    ...options,
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve) => listening.once('listening', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { mails, port: (listening.address() as AddressInfo).port };
}

function headersOf(head: string): Map<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
}

function decoded(body: string, head: string): string {
  if (!/quoted-printable/i.test(head)) return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export interface ReceivedHook {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A receiver of webhooks. `answer` decides the status; default: 204. */
export async function hookServer(
  answer: (hook: ReceivedHook) => number | [number, Record<string, string>] = () => 204,
) {
  const hooks: ReceivedHook[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const headers = request.headers as Record<string, string>;
      const hook = { url: request.url ?? '', headers, body: bytes.toString('utf8') };
      hooks.push(hook);
      const answered = answer(hook);
      const [status, more] = typeof answered === 'number' ? [answered, {}] : answered;
      response.writeHead(status, more).end();
    });
  });
  const { port, close } = await listen(server);
  onTestFinished(close);
  return { hooks, url: `http://127.0.0.1:${port}` };
}
