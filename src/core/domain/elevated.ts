/** Windows has no root: what to do there for administrator rights. */
const AS_ADMINISTRATOR = 'Open a terminal with "Run as administrator" and run this there.';

/** `elsewhere`: the advice for systems with root. */
export function elevated(elsewhere: string): string {
  return process.platform === 'win32' ? AS_ADMINISTRATOR : elsewhere;
}
