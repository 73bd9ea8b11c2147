import { readdir, readFile, readlink } from 'node:fs/promises';

/** A program that writes a file has had it open for longer than this. */
const KNOWN_FOR_MS = 1_000;
const WRITES = 0o3;

const known = new Map<string, { readonly until: number; readonly files: Promise<ReadonlySet<string>> }>();

/**
 * Whether a process of this machine has the file open for writing, as far as the agent can know: on Linux, and of processes of its own
 * user, or of all if it is root. Both paths are real ones.
 */
export async function isBeingWritten(directory: string, file: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const recent = known.get(directory);
  if (recent && recent.until > performance.now() && !(await recent.files).has(file)) return false;
  const files = filesBeingWritten(directory);
  known.set(directory, { until: performance.now() + KNOWN_FOR_MS, files });
  return (await files).has(file);
}

async function filesBeingWritten(directory: string): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  for (const pid of await namesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of await namesIn(`/proc/${pid}/fd`)) {
      const file = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (!file.startsWith(`${directory}/`)) continue;
      const info = await readFile(`/proc/${pid}/fdinfo/${fd}`, 'utf8').catch(() => '');
      if (parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? '0', 8) & WRITES) files.add(file);
    }
  }
  return files;
}

function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
