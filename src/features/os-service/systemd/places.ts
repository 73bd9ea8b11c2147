/** What `ProtectHome` is about. */
export const HOMES = ['/home', '/root', '/run/user'];
/** What `PrivateTmp` is about. */
export const TEMPORARY = ['/tmp', '/var/tmp'];

/** Whether the path is one of these places, or in one. */
export function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(place.endsWith('/') ? place : `${place}/`));
}
