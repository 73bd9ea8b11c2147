/** Packages that split PDFs, TIFFs and HEICs into pages. */
export const FOR_PAGES = [
  '@embedpdf/pdfium',
  'sharp',
  'libheif-js',
  '@expo-google-fonts/arimo',
  '@expo-google-fonts/cousine',
  '@expo-google-fonts/tinos',
];

/** Packages that can't be bundled: they load native code or WebAssembly from their own directory. */
export const NOT_BUNDLED = ['@photostructure/sqlite', 'keytar', ...FOR_PAGES];
