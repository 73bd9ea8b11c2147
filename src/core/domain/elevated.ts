/** Windows has no root: what it takes to do what only an administrator may. */
const AS_ADMINISTRATOR = 'Open a terminal with "Run as administrator" and run this there.';

/** `elsewhere`: what to do where there is a root. */
export function elevated(elsewhere: string): string {
  return process.platform === 'win32' ? AS_ADMINISTRATOR : elsewhere;
}
