import type { Config } from '../../config/config.ts';
import { pathsOf, resolveStateDir } from '../../config/resolve.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { agentAnswers } from '../session.ts';
import type { ExistingConfig, SetupValues } from './wanted.ts';

/*
 * Practice uses a separate ledger. In the real one, receipts sent to the practice service would count as sent, and the real
 * service would never get them.
 */

/** A directory beside the usual state directory. Null if RECEIPTD_STATE_DIR is set, which overrides the file. */
export function practiceStateDir({ place, context }: ExistingConfig): string | null {
  if (context.env['RECEIPTD_STATE_DIR']) return null;
  return `${usualStateDir({ place, context })}-practice`;
}

function usualStateDir({ place, context }: Pick<ExistingConfig, 'place' | 'context'>): string {
  // Ignore a systemd unit's directory, which does not apply to this terminal.
  const { STATE_DIRECTORY: _, ...env } = context.env;
  const configDir = pathsOf(context.platform).dirname(place.file);
  return resolveStateDir(undefined, configDir, context.isRoot, { ...context, env });
}

/** Whether setup switches from practice to a real service, whose ledger knows none of the folders. */
export function leavesPractice(
  found: ExistingConfig,
  wanted: Pick<SetupValues, 'baseUrl' | 'isPractice'>,
): boolean {
  const { before } = found;
  return (
    wanted.isPractice !== true &&
    before !== null &&
    before.config.stateDir === practiceStateDir(found) &&
    before.config.service.baseUrl !== wanted.baseUrl
  );
}

/** Whether setup begins practice and needs its separate state directory; one named in the file is kept. */
export function entersPractice(
  found: ExistingConfig,
  now: Config,
  { isPractice }: Pick<SetupValues, 'isPractice'>,
): boolean {
  const isFirst = found.before === null || found.before.isExample;
  return isPractice === true && isFirst && now.stateDir === usualStateDir(found);
}

/** A running agent would send to the new service, recording it in the practice ledger. @throws ReceiptdError ALREADY_RUNNING */
export async function demandPracticeEnded({ before }: ExistingConfig): Promise<void> {
  if (before === null || !(await agentAnswers(before.config))) return;
  throw new ReceiptdError('ALREADY_RUNNING.practice', { stateDir: before.config.stateDir });
}
