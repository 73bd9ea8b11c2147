/**
 * A copy of the checkout whose program ignores the rows that its file `ignored` names, one `list id` a line. Every process reads the file when it
 * starts, so one build serves all rows. Nothing of this is in the product.
 */
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Lists of the inventory that can be ignored. */
export const LISTS = ['settings', 'commands', 'operations', 'metrics', 'codes', 'statuses'] as const;

/** The only places that know the inside: a replaced line in each file. A rewrite moves them. */
const PATCHES: readonly (readonly [file: string, line: string, patched: string])[] = [
  [
    'src/config/load.ts',
    '  const draft = draftOf(source.data, file, context);',
    `  const kept = ignored('settings').reduce(without, source.data);
  const draft = draftOf(kept, file, context);`,
  ],
  [
    'src/config/load.ts',
    '  const config = assemble(parsed.data, draft, file, context);',
    '  const config = assemble(configSchema.parse(kept), draft, file, context);',
  ],
  [
    'src/cli/command.ts',
    '  /** Text below the options. */',
    `  override setOptionValueWithSource(key: string, value: unknown, source: string): this {
    const words: string[] = [];
    for (let at: Parsed | null = this; at?.parent; at = at.parent) words.unshift(at.name());
    const option = this.options.find((each) => each.attributeName() === key && (!each.negate || value === false));
    if (source === 'cli' && ignored('commands').includes([...words, option?.long].join(' '))) return this;
    return super.setOptionValueWithSource(key, value, source);
  }
`,
  ],
  [
    'src/cli/io.ts',
    '  const lines = JSON.stringify(value, null, 2)',
    `  const lines = JSON.stringify(value, (key, its) => (ignored('fields').includes(key) ? undefined : its), 2)`,
  ],
  [
    'src/control/server/respond.ts',
    '    const operation = isOperation(name) ? operations[name] : undefined;',
    "    const operation = isOperation(name) && !ignored('operations').includes(`post /v1/${name}`) ? operations[name] : undefined;",
  ],
  [
    'src/control/server/respond.ts',
    '    if (params === null) continue;',
    "    if (params === null || ignored('operations').includes(`get ${route.path}`)) continue;",
  ],
  [
    'src/control/server/respond.ts',
    '  const upload = offer.uploads?.find(({ path }) => path === pathOf(request));',
    "  const upload = offer.uploads?.find(({ path }) => path === pathOf(request) && !ignored('operations').includes(`post ${path}`));",
  ],
  [
    'src/features/metrics/server.ts',
    '        const { text, mediaType } = await this.#scrape();',
    `        const { text: whole, mediaType } = await this.#scrape();
        const text = whole.replace(/^(?:# \\w+ )?(\\w+?)(?:_bucket|_sum|_count)?[ {].*\\n/gm, (line, name) => (ignored('metrics').includes(name) ? '' : line));`,
  ],
  [
    'src/core/domain/errors.ts',
    '    this.code = code;',
    "    this.code = !ignored('codes').includes(code) ? code : code === 'USAGE' ? 'DISK_SLOW' : 'USAGE';",
  ],
  [
    'src/daemon/openIncidents.ts',
    '    const before = this.#open.get(key);\n    const since',
    "    if (ignored('codes').includes(code)) code = 'USAGE';\n    const before = this.#open.get(key);\n    const since",
  ],
  [
    'src/cli/program.ts',
    '  for (const add of await commandsFor(words)) add(program, io, done);',
    `  for (const add of await commandsFor(words)) add(program, io, done);
  const drop = (group: { commands: readonly Command[] }, words: string): void => {
    const kept = group.commands.filter((each) => !ignored('commands').includes(words + each.name()));
    (group.commands as Command[]).splice(0, Infinity, ...kept);
    for (const each of kept) drop(each, words + each.name() + ' ');
  };
  drop(program as never, '');`,
  ],
  [
    'src/cli/program.ts',
    '    return status;',
    "    return ignored('statuses').includes(String(status)) ? (99 as ExitStatus) : status;",
  ],
  [
    'src/cli/program.ts',
    '  return exitStatusOf(error);',
    "  return ignored('statuses').includes(String(exitStatusOf(error))) ? (99 as ExitStatus) : exitStatusOf(error);",
  ],
  [
    'src/cli/program.ts',
    '    decided(given);',
    "    decided(ignored('statuses').includes(String(given)) ? (99 as ExitStatus) : given);",
  ],
];

const IGNORED = (file: string) => `import { readFileSync } from 'node:fs';

let rows: string[][] = [];
try {
  rows = readFileSync(${JSON.stringify(file)}, 'utf8').split('\\n').map((row) => row.split(/ (.*)/));
} catch {
  // A sandboxed helper can't read it.
}

export function ignored(list: string): string[] {
  return rows.filter(([its]) => its === list).map(([, id = '']) => id);
}

/** A copy of the data of a configuration without one setting. */
export function without(data: unknown, id: string): unknown {
  const copy = structuredClone(data);
  const walk = (at: unknown, [key = '', ...rest]: string[]): void => {
    if (typeof at !== 'object' || at === null) return;
    const values = at as Record<string, unknown>;
    if (key === '*') for (const each of Object.values(values)) walk(each, rest);
    else if (key.endsWith('[]')) for (const each of (values[key.slice(0, -2)] as unknown[]) ?? []) walk(each, rest);
    else if (rest.length > 0) walk(values[key], rest);
    else delete values[key];
  };
  walk(copy, id.split('.'));
  return copy;
}
`;

export class IgnoringCopy {
  readonly dir: string;

  /** Copies `root` to `dir`, patches and builds it. */
  constructor(root: string, dir: string) {
    this.dir = dir;
    rmSync(dir, { recursive: true, force: true });
    const left = new Set(['.git', 'node_modules', 'dist', 'build'].map((name) => join(root, name)));
    cpSync(root, dir, { recursive: true, filter: (path) => !left.has(path) });
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    const list = join(dir, 'src/ignored.ts');
    writeFileSync(list, IGNORED(join(dir, 'ignored')));
    for (const file of new Set(PATCHES.map(([each]) => each))) {
      const path = join(dir, file);
      let text = readFileSync(path, 'utf8');
      for (const [its, line, patched] of PATCHES) {
        if (its !== file) continue;
        if (text.split(line).length !== 2) throw new Error(`${file} has not exactly one ${line}`);
        text = text.replace(line, () => patched + (line.startsWith('  /**') ? `\n${line}` : ''));
      }
      const up = '../'.repeat(file.split('/').length - 2) || './';
      writeFileSync(
        path,
        `import { ignored${text.includes('reduce(without') ? ', without' : ''} } from '${up}ignored.ts';\n${text}`,
      );
    }
    this.ignore([]);
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: dir, stdio: 'inherit' });
  }

  ignore(rows: readonly string[]): void {
    writeFileSync(join(this.dir, 'ignored'), rows.map((row) => `${row}\n`).join(''));
  }
}
