import { readPair, type Pair } from './certificate.ts';
import type { ConsoleDeps } from './deps.ts';
import { Guesses } from './guesses.ts';
import { offerOverHttp } from './offer.ts';
import { PasswordFile } from './password.ts';
import { removeRedirect } from './redirect.ts';
import { serveConsole, type ConsoleServer } from './server.ts';
import { Sessions } from './sessions.ts';
import type { ConsoleSettings } from './settings.ts';
import { Statics } from './statics.ts';

export interface Opened {
  readonly sessions: Sessions;
  hasPassword(): Promise<boolean>;
  /** @throws ReceiptdError PORT_IN_USE, CONSOLE_UNAVAILABLE */
  listen(address: { host: string; port: number }, settings: ConsoleSettings): Promise<ConsoleServer>;
  /** Names, and the certificate anew. One that is no good is said in the log, and the old one stays. */
  renew(settings: ConsoleSettings): Promise<void>;
}

const SWEEP_EVERY_MS = 30_000;
const SOON_MS = 14 * 24 * 60 * 60_000;

/** All that outlives one server: sessions survive when it listens elsewhere. */
export function prepareConsole(deps: ConsoleDeps, closed: AbortSignal): Opened {
  const { stateDir, clock, log, random } = deps;
  const sessions = new Sessions({ clock, random });
  const password = new PasswordFile(stateDir);
  const guesses = new Guesses(clock);
  const statics = new Statics(deps.statics);
  const offer = offerOverHttp(deps.offer);
  const redeemed = () => void removeRedirect(stateDir).catch(() => {});
  let current: ConsoleServer | null = null;
  closed.addEventListener('abort', () => sessions.endAll(), { once: true });
  void sweep();

  async function sweep(): Promise<void> {
    for (let waited = false; !closed.aborted;) {
      await clock.sleep(SWEEP_EVERY_MS, closed).catch(() => {});
      const waits = sessions.sweep();
      if (waited && !waits) redeemed();
      waited = waits;
    }
  }

  function warnOfExpiry({ expiresAt }: Pair): void {
    if (expiresAt - clock.now() > SOON_MS) return;
    log.warn('The certificate of the console expires soon, or has', {
      at: new Date(expiresAt).toISOString(),
    });
  }

  return {
    sessions,
    hasPassword: async () => (await password.current()) !== null,
    async listen({ host, port }, { tls, hosts }) {
      const pair = tls === null ? null : await readPair(tls);
      if (pair) warnOfExpiry(pair);
      const parts = { sessions, password, guesses, statics, offer, clock, log, redeemed };
      current = await serveConsole({ ...parts, host, port, hosts, pair });
      return current;
    },
    async renew({ tls, hosts }) {
      let pair: Pair | null = null;
      try {
        pair = tls === null || current === null ? null : await readPair(tls);
        if (pair) warnOfExpiry(pair);
      } catch (error) {
        log.error('The certificate of the console could not be renewed', { why: String(error) });
      }
      current?.take(hosts, pair);
    },
  };
}
