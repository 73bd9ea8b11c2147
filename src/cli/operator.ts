import { userInfo } from 'node:os';

/** The current user's name, for the journal of manual actions. In a container, the user id may have no name. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
