import { ReceiptdError, saidBy } from '../../core/domain/errors.ts';
import { failure, type Finding, type FindingFact } from '../../core/domain/finding.ts';

/** Time limit of one check, because a network share may hang. */
export const LOOK_MS = 30_000;

/** The finding, or one that says why there is none. */
export async function within(subject: string, look: () => Promise<Finding>): Promise<Finding> {
  return inTime(subject, look, (finding) => finding);
}

export async function withinAll(
  subject: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  return inTime(subject, look, (finding) => [finding]);
}

async function inTime<T>(subject: string, look: () => Promise<T>, as: (finding: Finding) => T): Promise<T> {
  const failed = (fact: FindingFact) => as({ level: 'fail', subject, fact });
  try {
    return await orElse(look, () => failed({ is: 'late', seconds: LOOK_MS / 1000 }));
  } catch (error) {
    if (error instanceof ReceiptdError) return as(failure(subject, error));
    return failed({ is: 'other', ...saidBy(error) });
  }
}

/** The result of `work`, or `late` after LOOK_MS. */
export async function orElse<T>(work: () => Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), LOOK_MS);
  });
  try {
    return await Promise.race([work(), end]);
  } finally {
    clearTimeout(timer);
  }
}
