import { createRequire } from 'node:module';

/** Packages that splitting files needs; optional parts of an install. */
const PACKAGES = [
  '@embedpdf/pdfium',
  'sharp',
  'libheif-js',
  '@expo-google-fonts/arimo',
  '@expo-google-fonts/cousine',
  '@expo-google-fonts/tinos',
] as const;

export interface Installed {
  /** Files of the packages. */
  readonly files: readonly string[];
  /** Names of the missing packages. */
  readonly missing: readonly string[];
}

/** Finds out which packages are installed, without loading any. */
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
