import { createRequire } from 'node:module';

/** What takes files apart needs these; they are optional parts of an install. */
const PACKAGES = ['@hyzyla/pdfium', 'sharp', 'heic-decode'] as const;

export interface Installed {
  /** Files of the packages. */
  readonly files: readonly string[];
  /** Names of those that are not there. */
  readonly missing: readonly string[];
}

/** Which of the packages are there, without loading any. */
export function installedPackages(): Installed {
  const { resolve } = createRequire(import.meta.url);
  const files: string[] = [];
  const missing: string[] = [];
  for (const name of PACKAGES) {
    try {
      files.push(resolve(name));
    } catch {
      missing.push(name);
    }
  }
  return { files, missing };
}
