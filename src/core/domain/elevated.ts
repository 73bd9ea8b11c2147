/** Windows has no root: what it takes to do what only an administrator may. */
export const AS_ADMINISTRATOR = 'Run this in a terminal that was opened with "Run as administrator".';

/** `elsewhere`: what to do where there is a root. */
export function elevated(elsewhere: string): string {
  return process.platform === 'win32' ? AS_ADMINISTRATOR : elsewhere;
}
