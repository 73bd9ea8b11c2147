/** Advice for Windows, which has no root. */
const AS_ADMINISTRATOR = 'Open a terminal with "Run as administrator" and run this there.';

/** How to get administrator rights on this system; `elsewhere` is the advice for systems with root. */
export function elevated(elsewhere: string): string {
  return process.platform === 'win32' ? AS_ADMINISTRATOR : elsewhere;
}
