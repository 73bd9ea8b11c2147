import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { alertState, emptyState, type AlertState } from './state.ts';

/** Remembers alerts across restarts. */
export interface AlertStore {
  /** `note`: a sentence for the log, if the stored state was useless. */
  load(): Promise<{ readonly state: AlertState; readonly note: string | null }>;
  /** Durable when it resolves. Rejects with the system's error. */
  save(state: AlertState): Promise<void>;
}

export function alertsFile(stateDir: string): string {
  return join(stateDir, 'alerts.json');
}

export function openAlertStore(stateDir: string): AlertStore {
  const file = alertsFile(stateDir);
  return {
    async load() {
      try {
        return { state: alertState.parse(JSON.parse(await readFile(file, 'utf8'))), note: null };
      } catch (error) {
        const state = emptyState();
        if (systemCode(error) === 'ENOENT') return { state, note: null };
        return { state, note: `${file} can't be used (${whyOf(error)})` };
      }
    },
    save: (state) => writeDurably(file, `${JSON.stringify(state)}\n`),
  };
}

function whyOf(error: unknown): string {
  return systemCode(error) ?? (error instanceof SyntaxError ? 'it is no JSON' : 'it holds something else');
}
