import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createJournal, openJournal } from '../../../src/ledger/journal/journal.ts';
import type { JournalHead } from '../../../src/core/ports/journal.ts';
import { launch } from '../../support/launch.ts';
import { requirement } from '../../support/requires.ts';
import { erase, event, journalPath, LEDGER, linesIn, named, putLines, writeJournal } from './support.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DOC = fs.readFileSync(join(ROOT, 'docs/audit.md'), 'utf8');
const hasPython = requirement(
  'python3',
  spawnSync('python3', ['--version']).status === 0,
  'apt-get install python3',
);

/** Runs a program repeatedly in one process, each time with the arguments of one line. */
const RUNS = `
import contextlib, io, json, sys
program = compile(sys.argv[1], 'docs/audit.md', 'exec')
for line in sys.stdin:
    sys.argv = ['-', *json.loads(line)]
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said):
        try:
            exec(program, {'__name__': '__main__'})
        except SystemExit as end:
            status = end.code or 0
    print(json.dumps({'status': status, 'said': said.getvalue()}), flush=True)
`;

/** The only code block in that language that contains `part`. */
function block(language: string, part: string): string {
  const blocks = [...DOC.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(
    ([, name, text]) => name === language && text?.includes(part),
  );
  expect(blocks).toHaveLength(1);
  return blocks[0]?.[2] ?? '';
}

let path: string;
let head: JournalHead;
beforeEach(() => {
  path = journalPath();
  writeJournal(path, 30);
  erase(path, ({ seq }) => seq === 8);
  const journal = openJournal(path)!;
  head = journal.append([named(32), named(33)]);
  journal.close();
});

describe.skipIf(!hasPython)('the program for auditors without receiptd', () => {
  let run: (...kept: string[]) => Promise<{ status: number; said: string }>;
  let stop: () => void;
  beforeAll(() => {
    const args = ['-c', RUNS, block('python', 'hashlib')];
    const python = launch('python3', args, { env: process.env, stdin: 'pipe' });
    const answers = createInterface({ input: python.stdout! })[Symbol.asyncIterator]();
    let complaint = '';
    python.stderr?.on('data', (text: Buffer) => (complaint += text.toString()));
    run = async (...kept) => {
      python.stdin?.write(`${JSON.stringify([path, ...kept])}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(complaint);
      return JSON.parse(value) as { status: number; said: string };
    };
    stop = () => python.kill();
  });
  afterAll(() => stop());

  test('finds a journal intact, with and without a kept head, and prints its head', async () => {
    const sound = { status: 0, said: `0 findings. Last entry: ${head.seq}:${head.hash}\n` };
    expect(await run()).toEqual(sound);
    expect(await run(`${head.seq}:${head.hash}`)).toEqual(sound);
  });

  test('exits with 0 for an intact journal, and with 1 for any finding', () => {
    const input = block('python', 'hashlib');
    const { stderr, stdout, status } = spawnSync('python3', ['-', path], { input, encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout).toBe(`0 findings. Last entry: ${head.seq}:${head.hash}\n`);
    fs.truncateSync(path, 0);
    expect(spawnSync('python3', ['-', path], { input }).status).toBe(1);
  });

  test.each([
    [
      'an entry that was changed',
      (lines: string[]) => lines.with(9, lines[9]!.replace('SCAN', 'SCAM')),
      'line 10',
    ],
    ['an entry that was removed', (lines: string[]) => lines.toSpliced(9, 1), 'line 10'],
    ['the first entry removed', (lines: string[]) => lines.slice(1), 'line 1'],
    [
      'entries that were swapped',
      (lines: string[]) => lines.with(9, lines[10]!).with(10, lines[9]!),
      'line 10',
    ],
    ['an entry that was copied', (lines: string[]) => lines.toSpliced(9, 0, lines[3]!), 'line 10'],
    [
      'other personal data',
      (lines: string[]) => lines.with(9, lines[9]!.replace('/scans', '/scams')),
      'line 10',
    ],
    [
      'blanks without an erasure',
      (lines: string[]) => lines.with(9, lines[9]!.replace(/\{"salt.*/, '  ')),
      'entry 10',
    ],
    ['data where there were none', (lines: string[]) => lines.with(8, `${lines[8]!}{}`), 'line 9'],
    ['nothing at all', () => [], 'journal'],
  ])('finds %s', async (_, change, where) => {
    putLines(path, change(linesIn(path)));
    const { status, said } = await run();
    expect(status).toBe(1);
    expect(said).toMatch(new RegExp(`^${where}: `));
  });

  test('finds a truncated last line', async () => {
    fs.truncateSync(path, fs.statSync(path).size - 1);
    expect(await run()).toMatchObject({ status: 1, said: expect.stringContaining('not a complete line') });
  });

  test('finds truncation and rewriting by a kept head', async () => {
    putLines(path, linesIn(path).slice(0, -2));
    expect((await run()).status).toBe(0);
    expect(await run(`${head.seq}:${head.hash}`)).toMatchObject({
      status: 1,
      said: expect.stringContaining('not in this file'),
    });
    expect(await run(`7:${'ab'.repeat(32)}`)).toMatchObject({
      status: 1,
      said: expect.stringContaining('not the entry'),
    });
  });

  test('reports that a journal was restarted, and finds it intact', async () => {
    fs.rmSync(path);
    createJournal(path, event('continued', { ledger: LEDGER, because: 'It was lost.' }), head).close();
    const { status, said } = await run();
    expect(status).toBe(0);
    expect(said).toContain(`Restarted: what came before entry ${head.seq + 1}`);
  });
});

describe('docs/audit.md', () => {
  test('checks the hash of an entry with standard tools', () => {
    const run = () => {
      const text = execFileSync('sh', ['-c', block('sh', 'sha256sum')], {
        cwd: dirname(path),
        encoding: 'utf8',
      });
      return text.trim().split('\n');
    };
    const [computed, written] = run();
    expect(computed).toMatch(/^[0-9a-f]{64}$/);
    expect(computed).toBe(written);
    putLines(
      path,
      linesIn(path).map((line) => line.replace('SCAN', 'SCAM')),
    );
    const [again, same] = run();
    expect(again).not.toBe(computed);
    expect(same).toBe(written);
  });

  test('follows one document with standard tools', () => {
    const journal = openJournal(path)!;
    journal.append([
      event('moved', { documents: [3, 17, 4], state: 'accepted' }),
      event('moved', { documents: [117], state: 'accepted' }),
      event('moved', { documents: [17], state: 'accepted' }),
    ]);
    journal.close();
    const command = block('sh', 'documents')
      .split('\n')
      .find((line) => line.startsWith('cut'));
    const found = execFileSync('sh', ['-c', command ?? ''], { cwd: dirname(path), encoding: 'utf8' });
    const seqs = found
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(seqs).toEqual([17, head.seq + 1, head.seq + 3]);
  });

  test('describes every kind of entry, with each of its fields', () => {
    const source = fs.readFileSync(join(ROOT, 'src/ledger/entries.ts'), 'utf8');
    const types = source.slice(0, source.indexOf('const PERSONAL'));
    const kinds = [...types.matchAll(/readonly kind: ([^;]+);/g)].flatMap(([, text = '']) =>
      [...text.matchAll(/'(\w+)'/g)].map(([, kind = '']) => kind),
    );
    expect(kinds.length).toBeGreaterThan(15);
    const described = [...DOC.matchAll(/^\| `(\w+)` +\|/gm)].map(([, kind]) => kind);
    expect(described).toEqual(expect.arrayContaining(kinds));
    const fields = new Set([...types.matchAll(/readonly (\w+)\??:/g)].map(([, field = '']) => field));
    fields.delete('kind');
    expect(fields.size).toBeGreaterThan(30);
    expect([...fields].filter((field) => !DOC.includes(`\`${field}\``))).toEqual([]);
  });
});
