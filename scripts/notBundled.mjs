import { readFileSync } from 'node:fs';

const { optionalDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Packages that split PDFs, TIFFs and HEICs into pages. */
export const FOR_PAGES = Object.keys(optionalDependencies).filter((name) => name !== 'keytar');

/** Packages that can't be bundled: they load native code or WebAssembly from their own directory. */
export const NOT_BUNDLED = ['@photostructure/sqlite', 'keytar', ...FOR_PAGES];
