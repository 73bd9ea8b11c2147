import type { Config } from '../config/config.ts';
import type { IncidentStatus, StatusResponse } from '../control/protocol/status.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Finding } from '../core/domain/finding.ts';
import { NO_ROOM } from './statusText.ts';

const ANSWER_MS = 5_000;

/** What a running agent says keeps it from working. A failure if it takes in nothing. */
export async function checkAgent({ stateDir }: Config): Promise<Finding[]> {
  const status = await statusOf(stateDir);
  return (status?.incidents ?? []).filter(({ code }) => !isCheckedHere(code)).map(asFinding);
}

/** `check` looks at folders itself. */
function isCheckedHere(code: IncidentStatus['code']): boolean {
  return code.startsWith('FOLDER_');
}

function asFinding({ code, subject, message, hint }: IncidentStatus): Finding {
  return {
    level: NO_ROOM.has(code) ? 'fail' : 'warn',
    subject: 'agent',
    message: `${[message, hint].filter((text) => text !== '').join(' ')} [${code}]`,
    ...(subject !== null && { names: [subject] }),
  };
}

/** Null if no agent runs, or if it does not answer this user. */
async function statusOf(stateDir: string): Promise<StatusResponse | null> {
  const { callControl } = await import('../control/client.ts');
  try {
    const signal = AbortSignal.timeout(2 * ANSWER_MS);
    return await callControl(stateDir, 'status', {}, { timeoutMs: ANSWER_MS, signal });
  } catch (error) {
    if (error instanceof ReceiptdError || (error instanceof Error && error.name === 'TimeoutError'))
      return null;
    throw error;
  }
}
