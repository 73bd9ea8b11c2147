/** Packages that split PDFs, TIFFs and HEICs into pages. */
export const FOR_PAGES = ['@hyzyla/pdfium', 'sharp', 'heic-decode'];

/** Packages that can't be bundled: they load native code or WebAssembly from their own directory. */
export const NOT_BUNDLED = ['@photostructure/sqlite', 'keytar', ...FOR_PAGES];
