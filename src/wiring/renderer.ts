import { fileURLToPath } from 'node:url';
import { confinement } from '../pages/confinement.ts';
import { installedPackages } from '../pages/installed.ts';
import type { RenderersOptions } from '../pages/renderers.ts';

/** Beside the program's other files. */
const PROGRAM = fileURLToPath(new URL('./pageRenderer.js', import.meta.url));

/** Names of the missing packages. */
export function missingPackages(): readonly string[] {
  return installedPackages(PROGRAM).missing;
}

/** How to start the rendering process; null if its dependencies are not installed. */
export function rendererHere(): RenderersOptions | null {
  const { files, missing } = installedPackages(PROGRAM);
  return missing.length > 0 ? null : { confinement: () => confinement(PROGRAM, files) };
}
