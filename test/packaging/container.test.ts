/** As far as a container image can be checked where no engine runs: its file is sound, and what it names is there. */
import { DockerfileParser, type Instruction } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TEXT = readFileSync(join(ROOT, 'packaging/container/Containerfile'), 'utf8');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  files: string[];
};
const file = DockerfileParser.parse(TEXT);
const all = file.getInstructions();
const last = all.slice(all.findLastIndex((each) => each.getKeyword() === 'FROM'));

function of(keyword: string, among: readonly Instruction[] = all): string[] {
  return among
    .filter((each) => each.getKeyword() === keyword)
    .map((each) => each.getArgumentsContent() ?? '');
}

/** `["a", "b"]` as its words. */
function words(text: string | undefined): string[] {
  return JSON.parse(/\[.*\]$/s.exec(text ?? '')?.[0] ?? 'null') as string[];
}

const copied = (among?: readonly Instruction[]): string[] =>
  of('COPY', among).flatMap((each) => each.split(/\s+/).slice(0, -1));
/** What comes from the checkout; the rest comes from the first stage. */
const sources = copied().filter((each) => !each.startsWith('/build/'));

describe('the container image', () => {
  it('is described without a mistake that a linter knows', () => {
    expect(validate(TEXT)).toEqual([]);
    expect(validate('FROM node\nCOPPY a b\n')).not.toEqual([]);
  });

  it('begins, in both stages, with the release line of Node.js that the Debian package brings', async () => {
    const { NODE_VERSION } = (await import(join(ROOT, 'scripts/packagedNode.mjs'))) as {
      NODE_VERSION: string;
    };
    const base = `docker.io/library/node:${NODE_VERSION.split('.')[0]}-bookworm-slim`;
    expect(file.getFROMs().map((each) => each.getImage())).toEqual([base, base]);
  });

  it('copies what is there, and what the context is not kept from sending', async () => {
    const sent = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      await expect(stat(join(ROOT, source)), source).resolves.toBeTruthy();
      expect(sent).toContain(source);
    }
    expect([...sources].sort()).toEqual([...sent].sort());
  });

  it('takes on what an install has, in places that the build makes', () => {
    const made = copied(last).map((each) => each.replace('/build/', ''));
    const fromContext = ['package.json', 'LICENSE', 'config'];
    expect(made.sort()).toEqual([...fromContext, 'dist', 'node_modules'].sort());
    for (const each of fromContext) expect(sources).toContain(each);
    const forPeople = /^(?:CHANGELOG\.md$|docs\/)/;
    for (const each of manifest.files.filter((name) => !name.startsWith('!') && !forPeople.test(name)))
      expect(made).toContain(each);
  });

  it('runs scripts that there are', () => {
    const scripts = [
      ...of('RUN')
        .join('\n')
        .matchAll(/npm run ([\w:-]+)/g),
    ].map(([, name = '']) => name);
    expect(scripts).toEqual(['build']);
    for (const name of scripts) expect(manifest.scripts).toHaveProperty(name);
  });

  it('starts and watches the agent with commands that it has', async () => {
    const program = await createProgram(
      {
        stdin: process.stdin,
        stdout: process.stdout,
        stderr: process.stderr,
        env: {},
        cwd: ROOT,
        stop: new AbortController().signal,
        onReload: () => () => {},
      },
      () => {},
    );
    const command = (name: string | undefined): Command | undefined =>
      program.commands.find((each) => each.name() === name);
    expect(words(of('ENTRYPOINT', last)[0])).toEqual(['receiptd']);
    expect(command(words(of('CMD', last)[0])[0])).toBeDefined();
    const [first, name, ...options] = words(of('HEALTHCHECK', last)[0]);
    expect(first).toBe('receiptd');
    for (const option of options) expect(command(name)?.options.map(({ long }) => long)).toContain(option);
  });

  it('runs as an ordinary user, keeps its state in a volume, and is stopped by a signal that the agent knows', () => {
    expect(of('USER', last)).toEqual(['receiptd']);
    expect(of('RUN', last).join('\n')).toMatch(/useradd .*--uid 10001 .* receiptd/);
    expect(words(of('VOLUME', last)[0])).toEqual(['/var/lib/receiptd']);
    expect(of('ENV', last).join(' ')).toContain('RECEIPTD_STATE_DIR=/var/lib/receiptd');
    expect(of('STOPSIGNAL', last)).toEqual(['SIGTERM']);
    expect(of('ENV').join(' ')).not.toMatch(/SECRET|PASSWORD|TOKEN/i);
  });
});
