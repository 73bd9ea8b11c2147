import { describeError } from '../../core/domain/errors.ts';
import { expiresSoon, markOf, readPair, type Pair } from '../../http/certificate.ts';
import { CONSOLE_LISTENER } from '../../http/listen.ts';
import type { ConsoleDeps } from './deps.ts';
import { Guesses } from './guesses.ts';
import { offerOverHttp } from './offer.ts';
import { PasswordFile } from './password.ts';
import { removeRedirect } from './redirect.ts';
import { serveConsole, type ConsoleServer } from './server.ts';
import { Sessions } from './sessions.ts';
import type { ConsoleSettings } from './settings.ts';
import { Statics } from './statics.ts';

export interface OpenedConsole {
  readonly sessions: Sessions;
  readonly password: PasswordFile;
  /** @throws ReceiptdError PORT_IN_USE, CONSOLE_UNAVAILABLE */
  listen(address: { host: string; port: number }, settings: ConsoleSettings): Promise<ConsoleServer>;
  /** Applies changed host names and reloads the certificate. An invalid one is logged, and the old one stays. */
  renew(settings: ConsoleSettings): Promise<void>;
}

const SWEEP_EVERY_MS = 30_000;

/** State that outlives one server: sessions survive a change of the listen address. */
export function prepareConsole(deps: ConsoleDeps, closed: AbortSignal): OpenedConsole {
  const { stateDir, clock, log, random } = deps;
  const sessions = new Sessions({ clock, random });
  const password = new PasswordFile(stateDir);
  const guesses = new Guesses(clock);
  const statics = new Statics(deps.statics);
  const offer = offerOverHttp(deps.offer);
  const redeemed = () => void removeRedirect(stateDir).catch(() => {});
  let current: { readonly server: ConsoleServer; settings: ConsoleSettings; mark: string } | null = null;
  closed.addEventListener('abort', () => sessions.endAll(), { once: true });
  void sweep();

  async function sweep(): Promise<void> {
    let waited = false;
    let seen = '';
    while (!closed.aborted) {
      await clock.sleep(SWEEP_EVERY_MS, closed).catch(() => {});
      const waits = sessions.sweep();
      if (waited && !waits) redeemed();
      waited = waits;
      if (current === null) continue;
      // Certificate and key are replaced one after the other, so wait until both are stable.
      const mark = await markOf(current.settings.tls);
      if (mark !== current.mark && mark === seen) await renew(current.settings);
      seen = mark;
    }
  }

  async function renew(settings: ConsoleSettings): Promise<void> {
    if (current === null) return;
    const { server } = current;
    current = { server, settings, mark: await markOf(settings.tls) };
    try {
      server.take(settings.hosts, await pairOf(settings));
    } catch (error) {
      server.take(settings.hosts, null);
      log.error('consoleCertificateNotReloaded', describeError(error));
    }
  }

  async function pairOf({ tls }: ConsoleSettings): Promise<Pair | null> {
    if (tls === null) return null;
    const pair = await readPair(tls, CONSOLE_LISTENER);
    if (expiresSoon(pair, clock.now())) {
      const at = new Date(pair.expiresAt).toISOString();
      log.warn('consoleCertificateExpiring', { at });
    }
    return pair;
  }

  return {
    sessions,
    password,
    async listen(address, settings) {
      const mark = await markOf(settings.tls);
      const pair = await pairOf(settings);
      const parts = {
        sessions,
        password,
        guesses,
        statics,
        offer,
        clock,
        log,
        redeemed,
        command: 'receiptd console',
      };
      const server = await serveConsole({ ...parts, ...address, hosts: settings.hosts, pair });
      current = { server, settings, mark };
      return server;
    },
    renew,
  };
}
