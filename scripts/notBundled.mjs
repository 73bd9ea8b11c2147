/** What takes PDFs, TIFFs and HEICs apart. */
export const FOR_PAGES = ['@hyzyla/pdfium', 'sharp', 'heic-decode'];

/** Packages that stay beside dist/: they have compiled parts, or WebAssembly, which they look for beside themselves. */
export const NOT_BUNDLED = ['@photostructure/sqlite', 'keytar', ...FOR_PAGES];
