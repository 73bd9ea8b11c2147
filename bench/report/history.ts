import { appendFile, readFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import type { Findings } from '../scenario.ts';
import { commitOf, isDirty } from './git.ts';

/** The machine, which affects the figures. */
export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryGB: number;
  readonly kernel: string;
  readonly node: string;
}

/** The commit that was measured, and the machine. */
export interface Environment {
  /** Null outside a repository. */
  readonly commit: string | null;
  /** Whether the tree had uncommitted changes. */
  readonly dirty?: true;
  readonly machine: Machine;
}

/** One line of `bench/history.jsonl`. */
export interface Entry extends Environment, Findings {
  /** ISO 8601, the end of the run. */
  readonly date: string;
  readonly quick: boolean;
  readonly scenario: string;
}

const fileIn = (root: string): string => join(root, 'bench', 'history.jsonl');

export async function environment(root: string): Promise<Environment> {
  const commit = await commitOf(root, 'HEAD');
  const dirty = commit !== null && (await isDirty(root));
  return { commit, ...(dirty && { dirty }), machine: machine() };
}

function machine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    processors: processors.length,
    // Rounded, because kernels reserve different amounts of the same memory.
    memoryGB: Math.round(totalmem() / 1e9),
    kernel: `${type()} ${release()}`,
    node: process.version,
  };
}

/** @throws Error if a figure is not finite, which JSON can't represent */
export async function appendHistory(root: string, entry: Entry): Promise<void> {
  const broken = entry.figures.find(({ value }) => !Number.isFinite(value));
  if (broken) throw new Error(`${entry.scenario}: "${broken.name}" is ${broken.value}`);
  await appendFile(fileIn(root), `${JSON.stringify(entry)}\n`);
}

/** Oldest first. */
export async function readHistory(root: string): Promise<Entry[]> {
  const text = await readFile(fileIn(root), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Entry);
}
