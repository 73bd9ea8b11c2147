import { ReceiptdError, asReceiptdError } from '../../domain/errors.ts';
import { isLoopback } from '../../domain/loopback.ts';
import type { Response } from '../control/protocol.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Opened } from './opened.ts';
import { removeRedirect } from './redirect.ts';
import type { ConsoleSettings } from './settings.ts';

export interface Console {
  /** A link, and until when it is good. Listens from now on. @throws ReceiptdError CONSOLE_UNAVAILABLE, PORT_IN_USE */
  open(): Promise<Response<'openConsole'>>;
  /** Listens where the configuration says so. Trouble is an incident, and it is tried again. Never rejects. */
  start(): Promise<void>;
  /** Takes changed settings, and a renewed certificate. Soon, so that the request which changes them is answered. */
  take(settings: ConsoleSettings): void;
  close(): Promise<void>;
}

const INCIDENT = 'console';
const TRY_EVERY_MS = 10_000;
const ON_DEMAND = { host: '127.0.0.1', port: 0 };

/**
 *   silent ──open, start──▶ listening ──take with another address, close──▶ silent
 *
 * What it takes to listen is loaded with the first step: an agent whose console nobody opens carries none of it.
 */
export function createConsole(deps: ConsoleDeps): Console {
  const { stateDir, log, incidents, clock } = deps;
  const closed = new AbortController();
  let { settings } = deps;
  let opened: Opened | null = null;
  let listening: { origin(): string; close(): Promise<void> } | null = null;
  // One after another, or two would listen.
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  }

  async function listen(): Promise<Opened> {
    if (closed.signal.aborted) throw unavailable('receiptd is about to stop.', 'Start it again.');
    opened ??= (await import('./opened.ts')).prepareConsole(deps, closed.signal);
    if (listening !== null) return opened;
    const { listen: where } = settings;
    if (where === 'off') throw unavailable('The console is switched off.', 'Set console.listen to onDemand.');
    const { host, port } = where === 'onDemand' ? ON_DEMAND : where;
    // The configuration is checked for this as well; but nothing else may come to listen in the clear.
    if (!isLoopback(host) && settings.tls === null) {
      throw unavailable(
        `The console does not listen on ${host} without a certificate.`,
        'Name one in console.tls (cert, key), or listen on 127.0.0.1.',
      );
    }
    if (!isLoopback(host) && !(await opened.hasPassword())) {
      throw unavailable(
        `The console does not listen on ${host} without a password.`,
        'Set one with `receiptd console password`.',
      );
    }
    listening = await opened.listen({ host, port }, settings);
    incidents.close(INCIDENT);
    log.info('The console listens', { url: listening.origin() });
    return opened;
  }

  async function silence(): Promise<void> {
    const was = listening;
    listening = null;
    await was?.close();
  }

  /** @returns whether it listens, or need not */
  async function attempt(): Promise<boolean> {
    if (closed.signal.aborted || typeof settings.listen === 'string') return true;
    try {
      await listen();
      return true;
    } catch (error) {
      const known = asReceiptdError(
        error,
        'CONSOLE_UNAVAILABLE',
        `The console can't be opened: ${String(error)}.`,
      );
      const { code, message, hint = 'Receipts are sent all the same.' } = known;
      incidents.open({ key: INCIDENT, code, message, hint });
      return false;
    }
  }

  let trying: Promise<void> | null = null;
  function keepTrying(): void {
    trying ??= (async () => {
      do await clock.sleep(TRY_EVERY_MS, closed.signal).catch(() => {});
      while (!(await inTurn(attempt)));
      trying = null;
    })();
  }

  async function start(): Promise<void> {
    if (!(await inTurn(attempt))) keepTrying();
  }

  return {
    open: () =>
      inTurn(async () => {
        const { sessions } = await listen();
        const { token, validUntil } = sessions.issueToken();
        const url = `${listening?.origin()}/#token=${token}`;
        return { url, validUntil: new Date(validUntil).toISOString() };
      }),
    start,
    take(changed) {
      const stays = placeOf(settings) === placeOf(changed);
      settings = changed;
      void (async () => {
        if (stays) await inTurn(async () => opened?.renew(changed));
        else {
          incidents.close(INCIDENT);
          await inTurn(silence);
        }
        await start();
      })().catch((error: unknown) =>
        log.error('The console could not take its settings', { why: String(error) }),
      );
    },
    async close() {
      closed.abort();
      await inTurn(silence);
      await trying;
      await removeRedirect(stateDir).catch(() => {});
    },
  };
}

/** What can't change without listening anew. */
function placeOf({ listen, tls }: ConsoleSettings): string {
  return JSON.stringify([listen, tls !== null]);
}

function unavailable(message: string, hint: string): ReceiptdError {
  return new ReceiptdError('CONSOLE_UNAVAILABLE', message, { hint });
}
