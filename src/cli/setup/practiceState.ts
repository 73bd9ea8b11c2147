import type { Config } from '../../config/config.ts';
import { pathsOf, resolveStateDir } from '../../config/resolve.ts';
import { callControl } from '../../control/client.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Found, Wanted } from './wanted.ts';

/*
 * What is practised has a ledger of its own: to the real one, receipts that the practice service got would be sent
 * already, and no other service would ever get them.
 */

/** Beside the usual state directory. Null where RECEIPTD_STATE_DIR says where it is, whatever the file says. */
export function practiceStateDir({ place, context }: Found): string | null {
  if (context.env['RECEIPTD_STATE_DIR']) return null;
  return `${usualStateDir({ place, context })}-practice`;
}

function usualStateDir({ place, context }: Pick<Found, 'place' | 'context'>): string {
  // A unit's directory is not what this terminal has.
  const { STATE_DIRECTORY: _, ...env } = context.env;
  const configDir = pathsOf(context.platform).dirname(place.file);
  return resolveStateDir(undefined, configDir, context.isRoot, { ...context, env });
}

/** Whether what is wanted gives up practice for a service, whose ledger knows none of the folders. */
export function leavesPractice(found: Found, wanted: Pick<Wanted, 'baseUrl' | 'isPractice'>): boolean {
  const { before } = found;
  return (
    wanted.isPractice !== true &&
    before !== null &&
    before.config.stateDir === practiceStateDir(found) &&
    before.config.service.baseUrl !== wanted.baseUrl
  );
}

/** Whether a practice that begins here gets a state directory of its own; one that the file names stays. */
export function entersPractice(
  found: Found,
  now: Config,
  { isPractice }: Pick<Wanted, 'isPractice'>,
): boolean {
  const isFirst = found.before === null || found.before.isExample;
  return isPractice === true && isFirst && now.stateDir === usualStateDir(found);
}

/** An agent at work would send to the new service at once, and note it in the ledger of practice. @throws ReceiptdError ALREADY_RUNNING */
export async function demandPracticeEnded({ before }: Found): Promise<void> {
  if (before === null) return;
  try {
    await callControl(before.config.stateDir, 'status', {});
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'NOT_RUNNING') return;
    throw error;
  }
  throw new ReceiptdError(
    'ALREADY_RUNNING',
    `receiptd is still running in practice mode, on the state directory ${before.config.stateDir}.`,
    { hint: 'Stop it first, then run this again.' },
  );
}
