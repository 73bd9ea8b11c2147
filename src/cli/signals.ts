export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

export interface Signals {
  /** Aborts at the first request to stop. */
  readonly stop: AbortSignal;
  /** Calls `listener` at each request to reload the configuration; returns the function that stops listening. */
  onReload(listener: () => void): () => void;
}

/**
 * Handles the signals of this process. The first request to stop aborts `stop`, the second calls `endNow`: the ledger
 * survives either. Windows has no SIGTERM, and no SIGHUP for a reload: there, Ctrl-Break is SIGBREAK, and SIGHUP means that the
 * window is closing, with about ten seconds left.
 */
export function takeSignals(
  source: SignalSource,
  platform: NodeJS.Platform,
  {
    hadTerminal,
    hasTerminal,
    endNow,
  }: { hadTerminal: boolean; hasTerminal: () => boolean; endNow: (signal: NodeJS.Signals) => void },
): Signals {
  const stop = new AbortController();
  const ending: NodeJS.Signals[] =
    platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];
  for (const signal of ending) {
    source.on(signal, () => {
      if (stop.signal.aborted) return endNow(signal);
      stop.abort(new Error(`stopped by ${signal}`));
    });
  }
  return {
    stop: stop.signal,
    onReload(listener) {
      if (platform === 'win32') return () => {};
      // If the process had a terminal that is now gone, SIGHUP means stop; otherwise it requests a reload.
      const heard = (): void => {
        if (hadTerminal && !hasTerminal()) stop.abort(new Error('the terminal was closed'));
        else listener();
      };
      source.on('SIGHUP', heard);
      return () => source.off('SIGHUP', heard);
    },
  };
}
