import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

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
  /** A path in each package, as the renderer process sees it: without following symbolic links. */
  readonly files: readonly string[];
  /** Names of the missing packages. */
  readonly missing: readonly string[];
}

/** Finds out which packages `program`, a path, can load, without loading any. */
export function installedPackages(program: string): Installed {
  const { resolve } = createRequire(program);
  const files: string[] = [];
  const missing: string[] = [];
  for (const name of PACKAGES) {
    try {
      const file = resolve(name);
      const places = resolve.paths(name) ?? [];
      const place = places.find((each) => existsSync(join(each, name, 'package.json')));
      files.push(place === undefined ? file : join(place, name, 'package.json'));
    } catch {
      missing.push(name);
    }
  }
  return { files, missing };
}
