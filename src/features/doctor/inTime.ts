import { describeError } from '../../core/domain/errors.ts';
import type { Finding } from '../../core/domain/finding.ts';

/** Time limit of one check, because a network share may hang. */
export const LOOK_MS = 30_000;

/** The finding, or one that says why there is none. */
export async function within(subject: string, look: () => Promise<Finding>): Promise<Finding> {
  const [finding] = await withinAll(subject, async () => [await look()]);
  return finding ?? { level: 'warn', subject, message: 'This could not be checked.' };
}

export async function withinAll(
  subject: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const message = `Checking this took longer than ${LOOK_MS / 1000} s and was stopped. A share or a disk may not be responding.`;
  try {
    return await orElse(look, () => [{ level: 'fail', subject, message }]);
  } catch (error) {
    return [{ level: 'fail', subject, message: describeError(error).detail }];
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
