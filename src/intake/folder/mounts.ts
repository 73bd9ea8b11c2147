import fs from 'node:fs';
import { systemCode } from '../../core/domain/errors.ts';

/** File systems that another machine or a program provides, and that may therefore stop answering. */
const MAY_HANG =
  /^(?:fuse(?:\..+)?|nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|coda|lustre|gpfs|gfs2|ocfs2|beegfs|orangefs|ncpfs|vboxsf|vmhgfs|virtiofs|autofs)$/;
const READ_AGAIN_MS = 500;

interface Mount {
  readonly at: string;
  readonly mayHang: boolean;
}

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
      if (isBelow(path, mount.at) && mount.at.length >= (best?.at.length ?? 0)) best = mount;
    return best?.mayHang === true ? best.at : null;
  }

  /** The outermost mount points below this absolute path whose file systems may hang. */
  below(path: string): readonly string[] {
    const found = this.#now().filter(({ at, mayHang }) => mayHang && at !== path && isBelow(at, path));
    return found
      .map(({ at }) => at)
      .filter((at) => !found.some((other) => other.at !== at && isBelow(at, other.at)));
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

/** Fields: id, parent, device, root, mount point, options, optional ones, '-', type, source, options (proc_pid_mountinfo(5)). */
function mountsIn(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const at = fields[4];
    const type = fields[fields.indexOf('-', 6) + 1];
    if (at === undefined || type === undefined) return [];
    return [{ at: unescaped(at), mayHang: MAY_HANG.test(type) }];
  });
}

/** Spaces, tabs, line feeds and backslashes are octal numbers. */
function unescaped(path: string): string {
  if (!path.includes('\\')) return path;
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function mountInfo(): string {
  try {
    return fs.readFileSync('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return '';
  }
}
