import { creations } from './jobsCreate.ts';
import { changes } from './jobsChange.ts';
import { structures } from './jobsStructure.ts';
import type { Drawing } from './drawing.ts';
import type { Step } from './step.ts';

/** Something that a person or a scanner does. Steps of several jobs are interleaved; a step that the system would refuse is skipped. */
export type Job = (drawing: Drawing) => Generator<Step>;

const JOBS = { ...creations, ...changes, ...structures };
export type JobKind = keyof typeof JOBS;

/** Relative frequency of each job. */
export const WEIGHTS: Readonly<Record<JobKind, number>> = {
  create: 12,
  slowWrite: 10,
  temporaryName: 6,
  hardLinkedIn: 4,
  unnamed: 3,
  sparse: 3,
  preallocated: 4,
  noImage: 5,
  incomplete: 4,
  completedLater: 5,
  rewritten: 6,
  growing: 4,
  duplicates: 5,
  overwrite: 8,
  overwriteWhole: 5,
  truncate: 4,
  replace: 6,
  touch: 4,
  backdate: 5,
  close: 3,
  rename: 9,
  swap: 2,
  remove: 6,
  removeAndAnew: 4,
  outAndBack: 3,
  hardLink: 4,
  newDirectory: 6,
  moveDirectory: 4,
  removeDirectory: 2,
  closeDirectory: 1,
  symbolicLink: 6,
  linkForFile: 3,
  linkForDirectory: 2,
  special: 4,
  outage: 2,
};

export function jobOf(kind: JobKind): Job {
  return JOBS[kind];
}
