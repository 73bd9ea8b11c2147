/** Packages that the program needs beside dist/: they have compiled parts, which they look for beside themselves. */
export const NOT_BUNDLED = ['@photostructure/sqlite', 'keytar'];
