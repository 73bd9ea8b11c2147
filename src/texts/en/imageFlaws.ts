import type { Format } from '../format.ts';
import type { Fact, SamePhrases } from '../phrase.ts';

const KINDS = { gif: 'block', png: 'chunk', webp: 'chunk' };
const ENDS = { jpeg: 'end marker', png: 'end chunk', gif: 'end', pdf: 'end (%%EOF)' };
const up = (type: string): string => (type === 'webp' ? 'WebP' : type.toUpperCase());

/** What an image lacks, as a clause: it is truncated, damaged or still being written. `at`: an offset in bytes. */
export const gapTexts = ({ number, counted }: Format) => {
  const bytes = (value: number): string => counted(value, 'byte', 'bytes');
  return {
    zeros: 'zeros stand in place of image data',
    short: (p: { type: string; has: number; needs: number }) =>
      `the ${up(p.type)} has ${bytes(p.has)} of ${bytes(p.needs)}`,
    header: (p: { type: string }) => `the ${up(p.type)} header is not fully written`,
    imageMissing: (p: { type: keyof typeof ENDS; at: number }) =>
      `the ${up(p.type)} has no image data before its ${ENDS[p.type]} at byte ${number(p.at)}`,
    noBlock: (p: { type: keyof typeof KINDS; at: number }) =>
      `the ${up(p.type)} is damaged or not fully written: no ${KINDS[p.type]} at byte ${number(p.at)}`,
    endMissing: (p: { type: keyof typeof ENDS; has: number }) =>
      `the ${up(p.type)} ${ENDS[p.type]} is missing after ${bytes(p.has)}`,
    endCut: (p: { at: number }) => `the PNG end chunk at byte ${number(p.at)} is not fully written`,
    emptySegment: (p: { at: number }) =>
      `the JPEG is damaged or not fully written: an empty segment at byte ${number(p.at)}`,
    noData: (p: { type: string; has: number }) =>
      `the ${up(p.type)} has no image data yet, after ${bytes(p.has)}`,
    boxBeyond: (p: { type: string; at: number }) =>
      `the ${up(p.type)} is damaged: what begins at byte ${number(p.at)} reaches beyond its container`,
    notPlaced: (p: { type: string }) => `the ${up(p.type)} does not say where its image data is`,
    placesCut: (p: { type: string }) => `the ${up(p.type)} is damaged: its item locations are cut off`,
    dataBeyond: (p: { type: string; end: number; has: number }) =>
      `the ${up(p.type)} is incomplete: image data should end at byte ${number(p.end)}, the file has ${bytes(p.has)}`,
    dataCut: (p: { type: string; at: number }) =>
      `the ${up(p.type)} image data at byte ${number(p.at)} is not fully written`,
    lengthMissing: (p: { type: string }) => `the ${up(p.type)} does not say how long its image data is`,
    pdfEndMissing: 'the PDF end (%%EOF) is missing after its table of contents (xref)',
    pdfGoesOn: 'more is being written after the end of the PDF',
    pdfTableMissing: 'the PDF does not say where its table of contents (xref) is',
    directoryMissing: (p: { has: number }) => `the TIFF directory is not written yet after ${bytes(p.has)}`,
    directoryBeyond: (p: { at: number; has: number }) =>
      `the TIFF is incomplete: a page's directory at byte ${number(p.at)} does not fit in ${bytes(p.has)}`,
    directoryEmpty: (p: { at: number }) => `the TIFF directory at byte ${number(p.at)} is not written yet`,
    directoryCut: (p: { at: number }) => `the TIFF directory at byte ${number(p.at)} is not fully written`,
    valueBeyond: (p: { end: number; has: number }) =>
      `the TIFF is incomplete: a value should end at byte ${number(p.end)}, the file has ${bytes(p.has)}`,
    circle: 'the TIFF is damaged: its directories run in a circle',
    overlap: 'the TIFF is damaged: its directories overlap',
  };
};
export type GapFact = Fact<ReturnType<typeof gapTexts>>;
export type GapTexts = SamePhrases<ReturnType<typeof gapTexts>>;

/** What a file is that is no image of a known type, as a clause. */
export const contentTexts = ({ counted }: Format) => ({
  empty: 'the file is empty',
  zeros: 'the file begins with zeros, so it is probably still being written',
  text: 'it looks like text',
  tooShort: (p: { bytes: number }) => `it is too short to identify (${counted(p.bytes, 'byte', 'bytes')})`,
  unknown: 'its content is not of a known type',
  other: (p: { type: string }) => `it is ${p.type}`,
});
export type ContentFact = Fact<ReturnType<typeof contentTexts>>;
export type ContentTexts = SamePhrases<ReturnType<typeof contentTexts>>;

/** Why a file can't be split, or a page not be drawn, as a clause. */
export const pageFlawTexts = (format: Format) => {
  const { counted, number } = format;
  const own = {
    password: 'it is protected by a password',
    structure: 'its structure is damaged',
    damaged: 'it is damaged',
    xfa: 'it is a form that only Adobe programs can show',
    portfolio: (p: { files: number }) =>
      `it is a portfolio of ${counted(p.files, 'other file', 'other files')}`,
    fontMissing: (p: { letters: string }) => `it lacks the font of “${p.letters}”`,
    unusualTiff: 'its TIFF is of an unusual kind that not every program can read',
    noPages: 'it has no pages',
    notOfPages: 'it does not consist of pages',
    noSuchPage: 'it has no such page',
    notDecoded: "its picture can't be decoded",
    manyPages: (p: { pages: number; most: number }) =>
      `it has ${counted(p.pages, 'page', 'pages')}; ${number(p.most)} are the most`,
    pixels: (p: { width: number; height: number }) => `it has ${p.width} x ${p.height} pixels`,
    largeToOpen: 'it is too large to be opened',
    largeToDraw: 'it is too large to be drawn',
    memory: 'it takes too much memory',
    slow: (p: { seconds: number }) => `it takes longer than ${p.seconds} s`,
    givenUp: (p: { pages: number }) =>
      `${counted(p.pages, 'page', 'pages')} in a row took too much time or memory; the remaining pages were not tried`,
    gone: 'the file is gone, and there is no copy',
    bytesUnreadable: "its bytes can't be read",
    notLoaded: 'the PDF reader could not be loaded',
    notRun: (p: { detail: string }) => `the page reader could not be started (${p.detail})`,
    notAsked: (p: { detail: string }) => `the page reader could not be asked (${p.detail})`,
    otherAnswer: 'something else answered',
    crashed: 'the page reader stopped without an answer',
    noAnswer: 'the page reader gave no answer',
    stopping: 'the agent is stopping',
  };
  return {
    ...own,
    notStarted: (p: { flaw: Fact<typeof own> }) =>
      `the page reader does not start: ${format.phrase(own, p.flaw)}`,
  };
};
export type PageFlawFact = Fact<ReturnType<typeof pageFlawTexts>>;
export type PageFlawTexts = SamePhrases<ReturnType<typeof pageFlawTexts>>;
