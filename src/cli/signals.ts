export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

export interface Signals {
  /** Aborted when somebody asks for the end. */
  readonly stop: AbortSignal;
  /** Calls back when the configuration is to be read again; resolves the function that ends it. */
  onReload(listener: () => void): () => void;
}

/**
 * What the system asks of this process. The first request to end asks for a clean one, the second gets one at once (`exit`): the ledger
 * survives either. On Windows there is no SIGTERM and no SIGHUP to reload with; Ctrl-Break is SIGBREAK, and SIGHUP says that the window is
 * being closed, which leaves some ten seconds.
 */
export function takeSignals(
  source: SignalSource,
  platform: NodeJS.Platform,
  { hadTerminal, hasTerminal, exit }: { hadTerminal: boolean; hasTerminal: () => boolean; exit: () => void },
): Signals {
  const stop = new AbortController();
  const ending: NodeJS.Signals[] =
    platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];
  for (const signal of ending) {
    source.on(signal, () => {
      if (stop.signal.aborted) return exit();
      stop.abort(new Error(`stopped by ${signal}`));
    });
  }
  return {
    stop: stop.signal,
    onReload(listener) {
      if (platform === 'win32') return () => {};
      // Where a terminal was, its end is the end of what runs in it; anywhere else the signal asks to read the configuration again.
      const heard = (): void => {
        if (hadTerminal && !hasTerminal()) stop.abort(new Error('the terminal was closed'));
        else listener();
      };
      source.on('SIGHUP', heard);
      return () => source.off('SIGHUP', heard);
    },
  };
}
