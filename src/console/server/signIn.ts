import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import { receiveText, sendError, sendJson } from '../../control/server/bodies.ts';
import type { Guesses } from './guesses.ts';
import { LONGEST_PASSWORD, type PasswordFile } from './password.ts';
import type { Session, Sessions } from './sessions.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';

export interface SignInDeps {
  readonly sessions: Sessions;
  readonly password: Pick<PasswordFile, 'current'>;
  readonly guesses: Guesses;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when a link was used, so that its redirect page can be deleted. */
  readonly redeemed: () => void;
  /** The command that issues another link. */
  readonly command: string;
}

const BODY_LIMIT = 8 * 1024;
const WRONG_TAKES_MS = 500;

/** `/session`: signing in with the token of a link or with the password, asking, and signing out. */
export class SignIn {
  readonly #deps: SignInDeps;
  readonly #cookie: string;
  readonly #secure: boolean;

  /** `port` is part of the cookie's name, because browsers send a cookie to every port of a host. */
  constructor(deps: SignInDeps, { port, secure }: { port: number; secure: boolean }) {
    this.#deps = deps;
    this.#cookie = `receiptd-${port}`;
    this.#secure = secure;
  }

  /** Null: signed out. */
  async session(request: IncomingMessage): Promise<Session | null> {
    const { sessions, password } = this.#deps;
    const secrets = this.#secrets(request);
    const session = sessions.find(secrets);
    if (session === null || session.password === null) return session;
    // A changed password ends the sessions that it opened.
    if ((await password.current())?.fingerprint === session.password) return session;
    sessions.end(secrets);
    return null;
  }

  /** Answers a request for `/session` that the guard let through. */
  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { sessions, password } = this.#deps;
    switch (request.method) {
      case 'GET': {
        const signedIn = (await this.session(request)) !== null;
        return sendJson(request, response, 200, {
          signedIn,
          password: (await password.current()) !== null,
        });
      }
      case 'DELETE':
        sessions.end(this.#secrets(request));
        // Also clears what the Back button would show. Not cookies: that would delete those of every port of this host.
        response.setHeader('clear-site-data', '"cache"');
        return this.#done(response, this.#setCookie(request, '', 0));
      default:
        return this.#begin(request, response);
    }
  }

  async #begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { token, password } = objectIn((await receiveText(request, BODY_LIMIT)) ?? '');
    if (typeof token === 'string' && password === undefined) return this.#withToken(request, response, token);
    if (typeof password === 'string' && token === undefined)
      return this.#withPassword(request, response, password);
    sendError(request, response, 400, new ReceiptdError('USAGE.signIn'));
  }

  #withToken(request: IncomingMessage, response: ServerResponse, token: string): void {
    const { sessions, redeemed, command } = this.#deps;
    if (sessions.redeem(token)) {
      redeemed();
      return this.#signedIn(request, response, null);
    }
    sendError(request, response, 401, new ReceiptdError('CONSOLE_SIGNED_OUT.usedLink', { command }));
  }

  async #withPassword(request: IncomingMessage, response: ServerResponse, guess: string): Promise<void> {
    const { password, guesses, clock, log } = this.#deps;
    const address = request.socket.remoteAddress ?? '';
    const current = await password.current();
    if (current === null) {
      return sendError(request, response, 401, new ReceiptdError('CONSOLE_SIGNED_OUT.noPassword'));
    }
    const waitMs = guesses.take(address);
    if (waitMs > 0) return tooMany(request, response, waitMs);
    const looked = guess.length > LONGEST_PASSWORD ? Promise.resolve(false) : current.matches(guess);
    if (looked === null) {
      guesses.undo(address);
      return tooMany(request, response, 1000);
    }
    if (await looked) {
      guesses.right(address);
      return this.#signedIn(request, response, current.fingerprint);
    }
    log.warn('wrongPasswordTried', { address });
    await clock.sleep(WRONG_TAKES_MS);
    sendError(request, response, 401, new ReceiptdError('CONSOLE_SIGNED_OUT.wrongPassword'));
  }

  #signedIn(request: IncomingMessage, response: ServerResponse, password: string | null): void {
    const { sessions } = this.#deps;
    // Ends the sessions that the browser sent, which somebody may have planted.
    sessions.end(this.#secrets(request));
    this.#done(response, this.#setCookie(request, sessions.begin(password), null));
  }

  #done(response: ServerResponse, cookie: string): void {
    response.writeHead(204, { 'set-cookie': cookie, 'cache-control': 'no-store' }).end();
  }

  #setCookie({ headers }: IncomingMessage, secret: string, maxAge: number | null): string {
    // A reverse proxy may terminate TLS; the guard has checked the origin.
    const secure = this.#secure || (headers.origin ?? '').startsWith('https:');
    const age = maxAge === null ? '' : `; Max-Age=${maxAge}`;
    return `${this.#cookie}=${secret}; HttpOnly; SameSite=Strict; Path=/${secure ? '; Secure' : ''}${age}`;
  }

  /** All cookies of that name: another program on this host may have set one too. */
  #secrets({ headers }: IncomingMessage): string[] {
    return (headers.cookie ?? '').split(';').flatMap((each) => {
      const [name = '', value = ''] = each.trim().split('=', 2);
      return name === this.#cookie && value !== '' ? [value] : [];
    });
  }
}

function tooMany(request: IncomingMessage, response: ServerResponse, waitMs: number): void {
  const seconds = Math.ceil(waitMs / 1000);
  const error = new ReceiptdError('CONSOLE_REFUSED.wrongTooOften', { seconds });
  sendError(request, response, 429, error, { 'retry-after': String(seconds) });
}

/** Empty if the text is not a JSON object. */
function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
