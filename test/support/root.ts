import { requirement } from './requires.ts';

export const isRoot = requirement(
  'root, who can become another user',
  process.geteuid?.() === 0,
  'run the tests as root',
);
