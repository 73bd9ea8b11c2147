import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { alertState, emptyState, type AlertState } from './state.ts';

/** Remembers alerts across restarts. */
export interface AlertStore {
  /** `unusable`: the stored state, and why, if it was useless. */
  load(): Promise<{ readonly state: AlertState; readonly unusable: UnusableState | null }>;
  /** Durable when it resolves. Rejects with the system's error. */
  save(state: AlertState): Promise<void>;
}

/** `why`: a code of the system, `notJson` or `otherShape`. */
export interface UnusableState {
  readonly file: string;
  readonly why: string;
}

export function alertsFile(stateDir: string): string {
  return join(stateDir, 'alerts.json');
}

export function openAlertStore(stateDir: string): AlertStore {
  const file = alertsFile(stateDir);
  return {
    async load() {
      try {
        return { state: alertState.parse(JSON.parse(await readFile(file, 'utf8'))), unusable: null };
      } catch (error) {
        const state = emptyState();
        if (systemCode(error) === 'ENOENT') return { state, unusable: null };
        return { state, unusable: { file, why: whyOf(error) } };
      }
    },
    save: (state) => writeDurably(file, `${JSON.stringify(state)}\n`),
  };
}

function whyOf(error: unknown): string {
  return systemCode(error) ?? (error instanceof SyntaxError ? 'notJson' : 'otherShape');
}
