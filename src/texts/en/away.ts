import type { Fact, SamePhrases } from '../phrase.ts';

/** Why a folder, or the bytes of a file, can't be reached. */
export const awayTexts = {
  unreachable: (p: { folder: string; system: string }) =>
    `${p.folder} is unreachable: its share or disk does not respond (${p.system}).`,
  missing: (p: { folder: string }) => `${p.folder} does not exist.`,
  notADirectory: (p: { folder: string }) => `${p.folder} is not a folder.`,
  notAllowed: (p: { folder: string; system: string }) =>
    `The agent's user is not allowed to read ${p.folder} (${p.system}).`,
  unreadable: (p: { folder: string; system: string }) => `${p.folder} can't be read (${p.system}).`,
  unlisted: (p: { folder: string; system: string }) =>
    `The files in ${p.folder} can't be listed (${p.system}).`,
  unsearched: (p: { folder: string; system: string }) => `${p.folder} could not be searched (${p.system}).`,
  /** `was`: null if that is not known. */
  otherFileSystem: (p: { folder: string; was: string | null; now: string }) =>
    p.was === null
      ? `${p.folder} is unreachable: the file system it was on before is not known, and it holds none of its files (it is ${p.now}).`
      : `${p.folder} is unreachable: it is on a different file system than before (${p.now}, not ${p.was}) and holds none of its files.`,
  leadsElsewhere: (p: { folder: string }) =>
    `${p.folder} leads elsewhere than when it was chosen in the console.`,
  fileUnreadable: (p: { file: string; system: string }) => `${p.file} can't be read (${p.system}).`,
  fileGone: (p: { file: string }) => `Its file ${p.file} is gone, and there is no other copy of the image.`,
  sentByHand: 'It was sent from a browser, and receiptd keeps no copy of an image that was accepted.',
  imageElsewhere: (p: { folder: string }) =>
    `Its image is not on this machine: it came from ${p.folder}, which another agent can reach.`,
};
export type AwayFact = Fact<typeof awayTexts>;
export type AwayTexts = SamePhrases<typeof awayTexts>;
