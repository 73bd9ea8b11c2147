import fs from 'node:fs';
import { systemCode } from '../../core/domain/errors.ts';
import { isNetworkType, mountsIn, type Mount } from './fileSystem.ts';

const READ_AGAIN_MS = 500;

/**
 * Which paths lie on file systems that may hang, by the kernel's list of mounts, so that no path has to be looked at. Elsewhere than on
 * Linux none is known; a share is only recognized there once it has answered.
 */
export class Mounts {
  readonly #text: () => string;
  #mounts: readonly Mount[] = [];
  #readAt = -Infinity;

  /** `text`: of /proc/self/mountinfo. */
  constructor(text: () => string = mountInfo) {
    this.#text = text;
  }

  /** The mount point, on a file system that may hang, that this absolute path lies on; null if it lies on another one. */
  of(path: string): string | null {
    let best: Mount | null = null;
    // A later mount hides an earlier one at the same place.
    for (const mount of this.#now())
      if (isBelow(path, mount.point) && mount.point.length >= (best?.point.length ?? 0)) best = mount;
    return best !== null && isNetworkType(best.type) ? best.point : null;
  }

  /** The outermost mount points below this absolute path whose file systems may hang. */
  below(path: string): readonly string[] {
    const points = new Set(this.#now().map(({ point }) => point));
    const found = [...points].filter(
      (each) => each !== path && isBelow(each, path) && this.of(each) === each,
    );
    return found.filter((each) => !found.some((other) => other !== each && isBelow(each, other)));
  }

  #now(): readonly Mount[] {
    const now = performance.now();
    if (now - this.#readAt < READ_AGAIN_MS) return this.#mounts;
    this.#readAt = now;
    this.#mounts = mountsIn(this.#text());
    return this.#mounts;
  }
}

function isBelow(path: string, directory: string): boolean {
  return directory === '/' || path === directory || path.startsWith(`${directory}/`);
}

function mountInfo(): string {
  try {
    return fs.readFileSync('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return '';
  }
}
