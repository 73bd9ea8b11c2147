import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** By path below `src`, with `/`: the text of each file. */
type Tree = ReadonlyMap<string, string>;

interface Rule {
  /** Parts of `src` besides its own that it may import. */
  readonly parts: readonly string[];
  /** Packages that it may import; `node:` stands for all of Node. Left out: any. */
  readonly packages?: readonly string[];
  /** Where it may import types only, and of these paths only: beginnings, below `src`. */
  readonly typesOf?: readonly string[];
}

const ADAPTERS = [
  'intake',
  'image',
  'ledger',
  'service',
  'credentials',
  'telemetry',
  'config',
  'spool',
  'alerts',
];
const PURE = ['domain', 'ports'];

/** The table of docs/architecture.md. A part is a folder of `src`, or a file that lies in it. */
const RULES: Readonly<Record<string, Rule>> = {
  domain: { parts: [], packages: [] },
  ports: { parts: ['domain'], packages: [] },
  pipeline: { parts: PURE, packages: ['node:', 'p-queue'] },
  ...Object.fromEntries(ADAPTERS.map((adapter) => [adapter, { parts: PURE }])),
  daemon: { parts: [...PURE, 'pipeline'] },
  hosting: { parts: ['domain'], packages: ['node:'] },
  compose: { parts: [...PURE, 'pipeline', ...ADAPTERS, 'daemon', 'hosting'] },
  // The other adapters are for compose to wire.
  cli: { parts: [...PURE, 'pipeline', 'config', 'telemetry', 'daemon', 'hosting', 'compose', 'sandbox'] },
  'main.ts': { parts: ['domain', 'cli'] },
  // It runs elsewhere: of the agent it knows what is said between the two, and nothing of how it is done.
  console: {
    parts: [...PURE, 'daemon'],
    packages: ['preact', 'preact/hooks'],
    typesOf: ['domain/', 'ports/', 'daemon/control/protocol.ts', 'daemon/control/protocol/'],
  },
  sandbox: { parts: [] },
  demo: { parts: [] },
};

const IMPORT = /(?:\bfrom|\bimport\s*\(?|\brequire\s*\()\s*['"]([^'"]+)['"]/g;

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier = '']) => specifier);
}

const TYPES_ONLY = /\b(?:import|export)\s+type\b[^'";]*?\bfrom\s*['"][^'"]+['"]/g;

/** What is still imported when the program runs. */
function valuesOf(text: string): string[] {
  return importsOf(text.replaceAll(TYPES_ONLY, ''));
}

function partOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function target(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier))
    .split(sep)
    .join('/');
}

function violations(tree: Tree): string[] {
  const found: string[] = [];
  for (const [file, text] of tree) {
    const part = partOf(file);
    const rule = RULES[part];
    if (rule === undefined) {
      found.push(`${file}: docs/architecture.md says nothing of ${part}`);
      continue;
    }
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('.')) {
        const allowed = rule.packages ?? [specifier];
        if (!allowed.some((name) => specifier === name || (name === 'node:' && specifier.startsWith(name))))
          found.push(`${file} imports the package ${specifier}`);
        continue;
      }
      const to = target(file, specifier);
      if (!tree.has(to)) found.push(`${file} imports ${to}, which is not there`);
      else if (partOf(to) !== part && !rule.parts.includes(partOf(to))) found.push(`${file} imports ${to}`);
      else if (rule.typesOf !== undefined && partOf(to) !== part) {
        if (!rule.typesOf.some((path) => to.startsWith(path))) found.push(`${file} imports ${to}`);
        else if (valuesOf(text).includes(specifier)) found.push(`${file} imports more than types of ${to}`);
      } else if (partOf(to) === 'sandbox' && part === 'cli' && file !== 'cli/sandbox.ts')
        found.push(`${file} imports ${to}`);
    }
    if (file !== 'main.ts' && /\bprocess\.(exit|abort|reallyExit)\b/.test(text))
      found.push(`${file} ends the process`);
  }
  return found;
}

/** The first circle of imports, as a path that ends where it began; null where there is none. */
function cycleIn(tree: Tree): string | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' → ');
    if (done.has(file)) return null;
    const next = importsOf(tree.get(file) ?? '').filter((specifier) => specifier.startsWith('.'));
    for (const specifier of next) {
      const cycle = visit(target(file, specifier), [...path, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of tree.keys()) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

async function sourceTree(): Promise<Tree> {
  const entries = await readdir(join(ROOT, 'src'), { recursive: true });
  const files = entries.filter((entry) => /\.tsx?$/.test(entry)).sort();
  return new Map(
    await Promise.all(
      files.map(
        async (file) => [file.split(sep).join('/'), await readFile(join(ROOT, 'src', file), 'utf8')] as const,
      ),
    ),
  );
}

describe('the sources', () => {
  it('keep the import rule, and only main.ts ends the process', async () => {
    const tree = await sourceTree();
    expect(violations(tree)).toEqual([]);
    // The expression that finds imports has to find some.
    const imports = [...tree.values()].flatMap(importsOf);
    expect(imports.length).toBeGreaterThan(2 * tree.size);
  });

  it('import one another in no circle', async () => {
    expect(cycleIn(await sourceTree())).toBeNull();
  });

  it('have the parts that docs/architecture.md describes, and no other', async () => {
    const text = await readFile(join(ROOT, 'docs/architecture.md'), 'utf8');
    const section = text.slice(text.indexOf('## Where things live'), text.indexOf('## State'));
    const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace('src/', '')),
    );
    expect(cells.sort()).toEqual(Object.keys(RULES).sort());
    expect([...new Set([...(await sourceTree()).keys()].map(partOf))].sort()).toEqual(cells);
  });
});

describe('the rule', () => {
  const tree = (file: string, text: string): Tree =>
    new Map([
      ...['domain/a.ts', 'ports/a.ts', 'pipeline/a.ts', 'daemon/a.ts', 'ledger/a.ts', 'image/a.ts'].map(
        (path) => [path, ''] as const,
      ),
      ['compose/c.ts', ''],
      ['daemon/control/protocol.ts', ''],
      ['console/c.ts', ''],
      ['cli/a.ts', ''],
      ['cli/sandbox.ts', ''],
      ['sandbox/a.ts', ''],
      ['demo/a.ts', ''],
      ['main.ts', ''],
      [file, text],
    ]);

  it.each([
    ['domain/b.ts', "import { join } from 'node:path';"],
    ['domain/b.ts', "import type { A } from '../ports/a.ts';"],
    ['ports/b.ts', "import { z } from 'zod';"],
    ['ports/b.ts', "import type { A } from '../pipeline/a.ts';"],
    ['pipeline/b.ts', "import { request } from 'undici';"],
    ['pipeline/b.ts', "import { a } from '../ledger/a.ts';"],
    ['ledger/sqlite/b.ts', "import { a } from '../../image/a.ts';"],
    ['image/b.ts', "export * from '../pipeline/a.ts';"],
    ['daemon/b.ts', "import { a } from '../ledger/a.ts';"],
    ['daemon/b.ts', "import { a } from '../cli/a.ts';"],
    ['compose/c.ts', "import { a } from '../cli/a.ts';"],
    ['pipeline/b.ts', "import { a } from '../compose/c.ts';"],
    ['cli/b.ts', "const a = await import('../ledger/a.ts');"],
    ['cli/b.ts', "import { a } from '../sandbox/a.ts';"],
    ['main.ts', "import { a } from './daemon/a.ts';"],
    ['sandbox/b.ts', "import { a } from '../domain/a.ts';"],
    ['demo/b.ts', "import { a } from '../sandbox/a.ts';"],
    ['console/b.tsx', "import { a } from '../daemon/control/protocol.ts';"],
    ['console/b.tsx', "import type { A } from '../daemon/a.ts';"],
    ['console/b.tsx', "import { a } from '../domain/a.ts';"],
    ['console/b.tsx', "import { z } from 'zod';"],
    ['console/b.tsx', "import type { A } from '../pipeline/a.ts';"],
    ['domain/b.ts', "import { gone } from './gone.ts';"],
    ['other/b.ts', ''],
    ['cli/b.ts', 'process.exit(1);'],
  ])('is broken by %s with %s', (file, text) => {
    expect(violations(tree(file, text))).toHaveLength(1);
  });

  it.each([
    ['pipeline/b.ts', "import PQueue from 'p-queue';\nimport type { A } from '../ports/a.ts';"],
    ['ledger/b.ts', "import { z } from 'zod';\nimport { a } from '../domain/a.ts';"],
    ['daemon/b.ts', "import { a } from '../pipeline/a.ts';"],
    ['compose/c.ts', "import { a } from '../ledger/a.ts';"],
    ['cli/sandbox.ts', "import { a } from '../sandbox/a.ts';"],
    [
      'console/b.tsx',
      "import type { A,\n  B } from '../daemon/control/protocol.ts';\nimport type { C } from '../ports/a.ts';",
    ],
    ['console/b.tsx', "import { useState } from 'preact/hooks';\nimport { c } from './c.ts';"],
    ['main.ts', "import { a } from './cli/a.ts';\nprocess.exit(0);"],
  ])('allows %s with %s', (file, text) => {
    expect(violations(tree(file, text))).toEqual([]);
  });

  it('finds a circle, however long', () => {
    const round = new Map([
      ['a.ts', "import './b.ts';"],
      ['b.ts', "import { c } from './c.ts';"],
      ['c.ts', "import { b } from './b.ts';"],
    ]);
    expect(cycleIn(round)).toBe('b.ts → c.ts → b.ts');
    expect(cycleIn(new Map([...round, ['c.ts', '']]))).toBeNull();
  });
});
