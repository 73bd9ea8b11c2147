import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exitStatus.ts';
import type { ProcessParts } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/program.ts';
import { classify } from '../../src/core/domain/outcome.ts';
import type { ListRowJson } from '../../src/control/protocol/documents.ts';
import { LIST_STATES } from '../../src/core/ports/ledgerReports.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  cwd: ROOT,
  stop: new AbortController().signal,
  onReload: () => () => {},
} satisfies ProcessParts;
const program = await createProgram(io, () => {});

async function documents(): Promise<string[]> {
  const entries = await readdir(join(ROOT, 'docs'), { recursive: true });
  const top = await readdir(ROOT);
  return [
    ...top.filter((name) => name.endsWith('.md')),
    ...entries.filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
  ].sort();
}

const files = await documents();
const read = (file: string) => readFile(join(ROOT, file), 'utf8');
const [commands, states] = await Promise.all([read('docs/commands.md'), read('docs/documents.md')]);

/** Every command line in fenced blocks and inline code that begins with `receiptd`. */
function commandLines(text: string): string[] {
  const fenced = [...text.matchAll(/^ *```\w*\n(.*?)^ *```/gms)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const inline = [...text.replace(/^ *```.*?^ *```/gms, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  );
  return [...fenced, ...inline].flatMap((line) => {
    const [, rest] = /^\s*(?:\$ |sudo |npx |.*\| *)*receiptd((?: [^#|;&<>]*)?)/.exec(line) ?? [];
    return rest === undefined || /^receiptd\S/.test(line.trim()) ? [] : [rest.trim()];
  });
}

/** What is wrong with a command line, or null. */
function mistake(line: string): string | null {
  let command: Command = program;
  for (const word of line.split(/\s+/).filter((each) => each !== '')) {
    if (word.startsWith('-')) {
      const name = word.replace(/=.*$/, '');
      const known = command.options.some(({ long, short }) => long === name || short === name);
      if (!known && !['--help', '-h', '--version'].includes(name)) return `${command.name()} has no ${name}`;
      continue;
    }
    if (command.commands.length === 0) continue;
    // COMMAND and … stand for any.
    if (/^[A-Z]+$|^…$/.test(word)) return null;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return `${command.name()} has no command ${word}`;
    command = next;
  }
  return null;
}

it('a wrong command or option would be found, in blocks and in inline code', () => {
  const text =
    'Say `receiptd lst`.\n\n```sh\nreceiptd list --jsn  # all\nRECEIPTD_X=1 ls | receiptd frob\n```\n';
  expect(commandLines(text).map(mistake)).toEqual([
    'list has no --jsn',
    'receiptd has no command frob',
    'receiptd has no command lst',
  ]);
  expect(
    commandLines('`receiptd list --json` `receiptd COMMAND --help` `receiptd.yaml`').map(mistake),
  ).toEqual([null, null]);
  expect(commandLines(commands).length).toBeGreaterThan(10);
});

describe.each(files)('%s', (file) => {
  it('shows only commands and options that there are', async () => {
    const wrong = commandLines(await read(file)).flatMap((line) => {
      const found = mistake(line);
      return found === null ? [] : [`receiptd ${line}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });

  it('has links that lead somewhere', async () => {
    const text = (await read(file)).replace(/^ *```.*?^ *```/gms, '');
    const broken: string[] = [];
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path));
      const there = await stat(join(ROOT, to)).then(
        () => true,
        () => false,
      );
      if (!there || (anchor !== undefined && !(await anchors(to)).includes(anchor))) broken.push(target);
    }
    expect(broken).toEqual([]);
  });
});

async function anchors(file: string): Promise<string[]> {
  return [...(await read(file)).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The first cells of the table below a heading. */
function firstCells(text: string, heading: string): string[] {
  const [, table = ''] = /^[^|]*?((?:^\|.*\n)+)/m.exec(text.slice(text.indexOf(`\n${heading}`))) ?? [];
  const rows = table.trim().split('\n').slice(2);
  return rows.flatMap((row) => {
    const cell = row.split('|')[1] ?? '';
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return names.length > 0 ? names : [cell.trim()];
  });
}

describe('the documentation', () => {
  it('has every state, and no other', () => {
    expect(firstCells(states, '## States').sort()).toEqual([...LIST_STATES].sort());
  });

  it('has every exit status, and no other', () => {
    expect(firstCells(commands, '## Exit statuses').map(Number)).toEqual(Object.values(EXIT));
  });

  it('has every field of `list --json`, and no other', () => {
    const row: Readonly<Record<keyof ListRowJson, true>> = {
      name: true,
      endpointUid: true,
      baseUrl: true,
      sha256: true,
      state: true,
      status: true,
      path: true,
      attempts: true,
      documentId: true,
      type: true,
      size: true,
      reason: true,
      message: true,
      fact: true,
      answerLost: true,
      needsPerson: true,
      dismissedBy: true,
      dismissedAt: true,
      fileId: true,
      archivedTo: true,
      posted: true,
      sentAt: true,
      acceptedAt: true,
      createdAt: true,
      updatedAt: true,
      notBefore: true,
    };
    expect(firstCells(commands, '## `list --json`').sort()).toEqual(Object.keys(row).sort());
  });

  it('shows how every command is called', async () => {
    const tasks = await Promise.all(files.filter((file) => /^docs\/[^/]+$/.test(file)).map(read));
    const code = [...tasks.join('\n').matchAll(/^ *```.*?^ *```|`[^`\n]+`/gms)]
      .map(([text]) => text)
      .join('\n');
    for (const command of program.commands)
      expect(code).toMatch(new RegExp(`receiptd (?:--\\S+ )*${command.name()}\\b`));
  });

  it('has every reason that an answer of the service leads to', () => {
    const expected = { endpoint: { baseUrl: 'https://api.example.com', uid: 'office' }, name: 'a.jpg' };
    const reasons = Array.from({ length: 500 }, (_, n) => 100 + n).flatMap((httpStatus) =>
      [false, true].flatMap((answerLost) => {
        const answer = { kind: 'response', httpStatus, retryAfterMs: null, body: '' } as const;
        const outcome = classify(answer, { ...expected, answerLost });
        return outcome.kind === 'accepted' || outcome.reason === `HTTP_${httpStatus}` ? [] : outcome.reason;
      }),
    );
    expect(reasons).toContain('REDIRECT');
    expect(firstCells(states, '## Reasons')).toEqual(expect.arrayContaining([...new Set(reasons)]));
  });

  it('has only reasons that the program gives', async () => {
    const entries = await readdir(join(ROOT, 'src'), { recursive: true });
    const texts = await Promise.all(
      entries.filter((entry) => entry.endsWith('.ts')).map((entry) => read(join('src', entry))),
    );
    const source = texts.join('\n');
    for (const reason of firstCells(states, '## Reasons')) {
      expect(source, reason).toContain(reason === 'HTTP_nnn' ? '`HTTP_' : `'${reason}'`);
    }
  });
});

describe('the help', () => {
  const all = program.commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  );

  it.each(all.map((command) => [command.name(), command] as const))(
    'of %s has an example that works',
    (_, command) => {
      let text = '';
      command.configureOutput({ writeOut: (part) => (text += part) });
      command.outputHelp();
      const lines = [...text.matchAll(/^ *\$ receiptd ([^<>|#\n]*)/gm)].map(([, line = '']) => line.trim());
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.flatMap((line) => mistake(line) ?? [])).toEqual([]);
      expect(text).toMatch(/exit status/i);
    },
  );
});
