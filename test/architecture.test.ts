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
  /** Of which it may import types only: beginnings, below `src`. */
  readonly typesOf?: readonly string[];
}

const PURE = ['core/domain', 'core/ports'];
const ADAPTERS = [
  'intake/folder',
  'intake/image',
  'keeper/spool',
  'ledger',
  'api',
  'api/credentials',
  'features/alerts/channels',
];
/** What parts share that are neither of the flow nor adapters of its ports. */
const TOOLS = ['core', 'texts', 'system', 'http', 'logs', 'state-dir', 'config'];
const FLOW = ['intake', 'flow', 'keeper', 'fleet'];
const CONTROL = ['control', 'control/protocol', 'control/queries', 'control/operations', 'control/server'];
/** What runs beside the flow. Each knows ports, and no other of them. */
const SIDE = [
  'features/alerts',
  'features/attention',
  'features/audit',
  'features/metrics',
  'features/os-service',
  'features/pictures',
  'features/results',
];
const OWN = ['node:', 'p-queue'];

/** The table of docs/architecture.md. A part is the longest of these that a path begins with, or a file that lies in `src`. */
const RULES: Readonly<Record<string, Rule>> = {
  // Errors and log lines have English words.
  'core/domain': { parts: ['texts'], packages: [] },
  'core/ports': {
    parts: ['core/domain', 'core', 'texts'],
    packages: [],
    typesOf: ['texts/', 'core/messages.ts'],
  },
  core: { parts: PURE, packages: ['node:'] },
  // For the browser too.
  texts: { parts: [], packages: [] },
  system: { parts: PURE },
  http: { parts: PURE, packages: ['node:'] },
  logs: { parts: PURE },
  'state-dir': { parts: ['core/domain', 'system'] },
  config: { parts: [...PURE, 'texts', 'system'] },
  ...Object.fromEntries(ADAPTERS.map((adapter) => [adapter, { parts: [...PURE, 'system'] }])),
  'intake/folder': { parts: [...PURE, 'core', 'system'] },
  ledger: { parts: [...PURE, 'core', 'system'] },
  'ledger/configured': { parts: [...PURE, 'config', 'state-dir', 'ledger'] },
  keeper: { parts: [...PURE, 'core'], packages: OWN },
  flow: { parts: [...PURE, 'core', 'keeper'], packages: OWN },
  intake: { parts: [...PURE, 'core', 'keeper'], packages: OWN },
  pages: { parts: [...PURE, 'intake/image'] },
  fleet: { parts: [...PURE, 'core', 'flow', 'intake'], packages: OWN },
  'control/protocol': { parts: PURE },
  control: { parts: [...PURE, 'system', 'state-dir', 'control/protocol'] },
  'control/server': { parts: [...PURE, 'http', 'control', 'control/protocol'] },
  'control/queries': {
    parts: [...PURE, 'texts', 'control', 'control/protocol', 'flow', 'keeper'],
  },
  'control/operations': {
    parts: [...PURE, 'control/protocol', 'control/queries', 'flow', 'keeper', 'intake'],
  },
  'features/alerts': { parts: [...PURE, 'texts', 'system', 'control/protocol'] },
  'features/attention': { parts: [...PURE, 'core', 'texts'], packages: ['node:'] },
  'features/audit': { parts: [...PURE, 'core'], packages: ['node:'] },
  'features/metrics': { parts: [...PURE, 'texts', 'core', 'http'] },
  'features/os-service': {
    parts: ['core/domain', 'texts', 'system', 'config', 'api/credentials'],
    packages: ['node:'],
  },
  'features/pictures': { parts: [...PURE, 'system'], packages: OWN },
  'features/results': { parts: [...PURE, 'system', 'http'] },
  'console/server': { parts: [...PURE, 'system', 'http', 'control/protocol', 'control/server'] },
  // It runs elsewhere: of the agent it knows what is said between the two, and nothing of how it is done.
  'console/app': {
    parts: [...PURE, 'texts', 'control/protocol'],
    packages: ['preact', 'preact/hooks'],
    typesOf: [...PURE, 'control/protocol'].map((part) => `${part}/`),
  },
  daemon: { parts: [...PURE, 'core', 'intake', 'flow', 'fleet', 'state-dir'] },
  wiring: {
    parts: [
      ...PURE,
      ...TOOLS,
      ...ADAPTERS,
      'ledger/configured',
      ...FLOW,
      ...CONTROL,
      ...SIDE,
      'pages',
      'console/server',
      'daemon',
    ],
  },
  // They look at everything, and only a command starts them.
  'features/doctor': { parts: [...PURE, ...TOOLS, 'ledger', 'ledger/configured', 'control'] },
  'features/backup': { parts: [...PURE, ...TOOLS, 'ledger', 'ledger/configured', 'features/doctor'] },
  // The adapters are for the wiring.
  cli: {
    parts: [
      ...PURE,
      ...TOOLS,
      'ledger/configured',
      'intake',
      ...CONTROL,
      'console/server',
      'daemon',
      'wiring',
      ...SIDE,
      'features/doctor',
      'features/backup',
      'sandbox',
      'demo',
    ],
  },
  'main.ts': { parts: ['core/domain', 'cli'] },
  sandbox: { parts: [] },
  demo: { parts: [] },
};

/** Parts beside the agent, and the one file of the command line that may have to do with each. */
const APART: ReadonlyMap<string, string> = new Map([
  ['sandbox', 'cli/sandbox.ts'],
  ['demo', 'cli/setup/testReceipt.ts'],
]);

function isApart(file: string): boolean {
  return APART.has(partOf(file));
}

const IMPORT = /(?:\bfrom\s|\bimport\s*\(?|\brequire\s*\()\s*['"]([^'"]+)['"]/g;

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier = '']) => specifier);
}

const TYPES_ONLY = /\b(?:import|export)\s+type\b[^'";]*?\bfrom\s*['"][^'"]+['"]/g;

/** What is still imported when the program runs. */
function valuesOf(text: string): string[] {
  return importsOf(text.replaceAll(TYPES_ONLY, ''));
}

const BY_LENGTH = Object.keys(RULES).sort((a, b) => b.length - a.length);

function partOf(file: string): string {
  const known = BY_LENGTH.find((part) => file === part || file.startsWith(`${part}/`));
  return known ?? file.split('/')[0] ?? file;
}

function target(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier))
    .split(sep)
    .join('/');
}

/** The process, or (the second) a thread of its own. */
const ENDS: ReadonlySet<string> = new Set(['main.ts', 'ledger/thread/serve.ts']);

/** Not of the agent, or below a directory that exists. */
const MAKES_ITS_OWN = /^(?:sandbox|demo)\/|\/generate\.ts$/;

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
      else if (
        rule.typesOf?.some((path) => to.startsWith(path)) === true &&
        valuesOf(text).includes(specifier)
      )
        found.push(`${file} imports more than types of ${to}`);
      else if (part === 'cli' && isApart(to) && APART.get(partOf(to)) !== file)
        found.push(`${file} imports ${to}`);
    }
    if (!ENDS.has(file) && /\bprocess\.(exit|abort|reallyExit)\b/.test(text))
      found.push(`${file} ends the process`);
    if (!MAKES_ITS_OWN.test(file) && /\bmkdir\([^;]*\brecursive: true/.test(text))
      found.push(`${file} creates directories without system/makeDirectory.ts`);
  }
  return found;
}

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** By file: what it imports of `src`, types included. */
function importsAmong(tree: Tree): Imports {
  const relative = (text: string) => importsOf(text).filter((specifier) => specifier.startsWith('.'));
  return new Map(
    [...tree].map(([file, text]) => [
      file,
      new Set(relative(text).map((specifier) => target(file, specifier))),
    ]),
  );
}

/** What lies in `folder` ('' for `src`), each folder there taken as one: what of its neighbours it imports. */
function importsOfRooms(imports: Imports, folder: string): Imports {
  const within = folder === '' ? '' : `${folder}/`;
  const roomOf = (file: string) =>
    file.startsWith(within) ? within + (file.slice(within.length).split('/')[0] ?? '') : null;
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const room = roomOf(file);
    if (room === null) continue;
    const neighbours = rooms.get(room) ?? new Set();
    for (const to of targets) {
      const other = roomOf(to);
      if (other !== null && other !== room) neighbours.add(other);
    }
    rooms.set(room, neighbours);
  }
  return rooms;
}

/** `src` itself is ''. */
function foldersOf(tree: Tree): string[] {
  const folders = [...tree.keys()].flatMap((file) =>
    file.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/')),
  );
  return [...new Set(folders)];
}

/** The first circle of imports, as a path that ends where it began; null where there is none. */
function cycleIn(imports: Imports): string | null {
  const done = new Set<string>();
  const visit = (from: string, path: readonly string[]): string | null => {
    if (path.includes(from)) return [...path.slice(path.indexOf(from)), from].join(' → ');
    if (done.has(from)) return null;
    for (const to of imports.get(from) ?? []) {
      const cycle = visit(to, [...path, from]);
      if (cycle !== null) return cycle;
    }
    done.add(from);
    return null;
  };
  for (const from of imports.keys()) {
    const cycle = visit(from, []);
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
    expect(cycleIn(importsAmong(await sourceTree()))).toBeNull();
  });

  it('import one another in no circle where each folder is taken as one, at any depth', async () => {
    const tree = await sourceTree();
    const imports = importsAmong(tree);
    const cycles = foldersOf(tree).map((folder) => cycleIn(importsOfRooms(imports, folder)));
    expect(cycles.filter((cycle) => cycle !== null)).toEqual([]);
  });

  it('have the parts that docs/architecture.md describes, and no other', async () => {
    const text = await readFile(join(ROOT, 'docs/architecture.md'), 'utf8');
    const section = text.slice(text.indexOf('## Where things live'), text.indexOf('## State'));
    const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(cells.sort()).toEqual(Object.keys(RULES).sort());
    expect([...new Set([...(await sourceTree()).keys()].map(partOf))].sort()).toEqual(cells);
  });
});

describe('the oracle', () => {
  it('imports nothing of what it judges, and nothing of the campaigns', async () => {
    const folder = join(ROOT, 'test/oracle');
    const files = (await readdir(folder)).filter((file) => !file.endsWith('.test.ts'));
    expect(files).toContain('oracle.ts');
    for (const file of files) {
      const imports = importsOf(await readFile(join(folder, file), 'utf8'));
      expect(
        imports.filter((each) => each.startsWith('.') && !/^\.\/\w+\.ts$/.test(each)),
        file,
      ).toEqual([]);
    }
  });
});

describe('the rule', () => {
  const tree = (file: string, text: string): Tree =>
    new Map([
      ...[
        'core/domain/a.ts',
        'core/ports/a.ts',
        'core/a.ts',
        'system/a.ts',
        'intake/a.ts',
        'intake/image/a.ts',
        'flow/a.ts',
        'keeper/a.ts',
        'ledger/a.ts',
        'features/alerts/a.ts',
        'control/protocol/a.ts',
        'console/app/a.ts',
        'console/server/a.ts',
        'daemon/a.ts',
        'wiring/a.ts',
        'cli/a.ts',
        'cli/sandbox.ts',
        'sandbox/a.ts',
        'demo/a.ts',
        'main.ts',
      ].map((path) => [path, ''] as const),
      [file, text],
    ]);

  it.each([
    ['core/domain/b.ts', "import { join } from 'node:path';"],
    ['core/domain/b.ts', "import type { A } from '../ports/a.ts';"],
    ['core/ports/b.ts', "import { z } from 'zod';"],
    ['core/ports/b.ts', "import type { A } from '../../intake/a.ts';"],
    ['core/b.ts', "import { a } from '../intake/a.ts';"],
    ['flow/b.ts', "import { request } from 'undici';"],
    ['flow/b.ts', "import { a } from '../intake/a.ts';"],
    ['keeper/b.ts', "import { a } from '../a.ts';"],
    ['intake/pages/b.ts', "import { a } from '../../ledger/a.ts';"],
    ['intake/pages/b.ts', "import { a } from '../image/a.ts';"],
    ['intake/pages/b.ts', "import { a } from '../../flow/a.ts';"],
    ['ledger/sqlite/b.ts', "import { a } from '../../intake/image/a.ts';"],
    ['intake/image/b.ts', "export * from '../a.ts';"],
    ['features/alerts/b.ts', "import { a } from '../../ledger/a.ts';"],
    ['features/results/b.ts', "import { a } from '../alerts/a.ts';"],
    ['features/doctor/b.ts', "import { a } from '../../wiring/a.ts';"],
    ['control/operations/b.ts', "import { a } from '../../features/alerts/a.ts';"],
    ['daemon/b.ts', "import { a } from '../ledger/a.ts';"],
    ['daemon/b.ts', "import { a } from '../cli/a.ts';"],
    ['wiring/b.ts', "import { a } from '../cli/a.ts';"],
    ['intake/b.ts', "import { a } from '../wiring/a.ts';"],
    ['cli/b.ts', "const a = await import('../ledger/a.ts');"],
    ['cli/b.ts', "import { a } from '../sandbox/a.ts';"],
    ['cli/b.ts', "import { a } from '../demo/a.ts';"],
    ['main.ts', "import { a } from './daemon/a.ts';"],
    ['sandbox/b.ts', "import { a } from '../core/domain/a.ts';"],
    ['demo/b.ts', "import { a } from '../sandbox/a.ts';"],
    ['console/app/b.tsx', "import { a } from '../../control/protocol/a.ts';"],
    ['console/app/b.tsx', "import type { A } from '../server/a.ts';"],
    ['console/app/b.tsx', "import { a } from '../../core/domain/a.ts';"],
    ['console/app/b.tsx', "import { z } from 'zod';"],
    ['console/app/b.tsx', "import type { A } from '../../intake/a.ts';"],
    ['core/domain/b.ts', "import { gone } from './gone.ts';"],
    ['other/b.ts', ''],
    ['cli/b.ts', 'process.exit(1);'],
    ['cli/b.ts', 'await mkdir(dirname(file), { recursive: true });'],
  ])('is broken by %s with %s', (file, text) => {
    expect(violations(tree(file, text))).toHaveLength(1);
  });

  it.each([
    ['flow/limits/b.ts', "import PQueue from 'p-queue';\nimport type { A } from '../../core/ports/a.ts';"],
    ['intake/pages/b.ts', "import { a } from '../../keeper/a.ts';"],
    ['ledger/b.ts', "import { z } from 'zod';\nimport { a } from '../core/domain/a.ts';"],
    ['daemon/b.ts', "import { a } from '../flow/a.ts';"],
    ['wiring/b.ts', "import { a } from '../ledger/a.ts';"],
    ['cli/sandbox.ts', "import { a } from '../sandbox/a.ts';"],
    [
      'console/app/b.tsx',
      "import type { A,\n  B } from '../../control/protocol/a.ts';\nimport type { C } from '../../core/ports/a.ts';",
    ],
    ['console/app/b.tsx', "import { useState } from 'preact/hooks';\nimport { c } from './a.ts';"],
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
    expect(cycleIn(importsAmong(round))).toBe('b.ts → c.ts → b.ts');
    expect(cycleIn(importsAmong(new Map([...round, ['c.ts', '']])))).toBeNull();
  });

  it('finds a circle of folders where none of their files are in one', () => {
    const round = new Map([
      ['top/a/one.ts', "import '../b/one.ts';"],
      ['top/b/one.ts', ''],
      ['top/b/two.ts', "import type { A } from '../a/one.ts';"],
    ]);
    const imports = importsAmong(round);
    expect(foldersOf(round)).toEqual(['', 'top', 'top/a', 'top/b']);
    expect(cycleIn(imports)).toBeNull();
    expect(cycleIn(importsOfRooms(imports, ''))).toBeNull();
    expect(cycleIn(importsOfRooms(imports, 'top'))).toBe('top/a → top/b → top/a');
  });
});
