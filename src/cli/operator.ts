import { userInfo } from 'node:os';

/** Who asks, for the record of deliberate acts. A container may run under a number that has no name. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
