import type { Config } from '../config/config.ts';
import { conditionOfJson } from '../control/protocol/problem.ts';
import type { StatusResponse } from '../control/protocol/status.ts';
import { subjectOf } from '../core/domain/problem.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Finding } from '../core/domain/finding.ts';
import { NO_ROOM } from './statusText.ts';

const ANSWER_MS = 5_000;

/** What a running agent says keeps it from working. A failure if it takes in nothing. */
export async function checkAgent({ stateDir }: Config): Promise<Finding[]> {
  const status = await statusOf(stateDir);
  // `check` looks at folders itself, but not from within a service or container that may not write there.
  const incidents = (status?.incidents ?? []).filter(
    ({ code, params }) =>
      !code.startsWith('FOLDER_') || (code === 'FOLDER_UNWRITABLE' && params['system'] === 'EROFS'),
  );
  return incidents.map((incident) => {
    const condition = conditionOfJson(incident);
    const subject = subjectOf(condition);
    return {
      level: NO_ROOM.has(condition.code) ? 'fail' : 'warn',
      subject: 'agent',
      fact: { is: 'problem', problem: condition },
      ...(subject !== null && { names: [subject] }),
    };
  });
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
