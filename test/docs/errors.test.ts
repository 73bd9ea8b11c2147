import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/core/domain/errors.ts';
import { hasShape, messageShapes } from './messageShapes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const text = await readFile(join(ROOT, 'docs/errors.md'), 'utf8');
const sections = text
  .split(/^### /m)
  .slice(1)
  .map((section) => ({
    code: section.slice(0, section.indexOf('\n')),
    body: section.split(/^## /m)[0] ?? '',
  }));

it('docs/errors.md has every code of the program, and no other, in its order', () => {
  expect(sections.map(({ code }) => code)).toEqual([...ERROR_CODES]);
});

it('docs/errors.md groups the codes as the program does', async () => {
  const source = await readFile(join(ROOT, 'src/texts/facts.ts'), 'utf8');
  const inSource = [...source.matchAll(/^ {2}(?:\/\/ (.+)|'([A-Z_]+)',)$/gm)].map(
    ([, group, code]) => group ?? code,
  );
  const inText = [...text.matchAll(/^###? (.+)$/gm)].map(([, title]) => title);
  expect(inText).toEqual(inSource);
});

it.each(sections)('$code is explained: what it means, what to do, and the sentence', ({ code, body }) => {
  const [, meaning = '', advice = '', example = ''] =
    /^[A-Z_]+\n\n(.+?)\n\*\*Do:\*\* (.+?)\n\n```\n(.+)\n```\n+$/s.exec(body) ?? [];
  expect(meaning).toMatch(/\.$/);
  expect(advice).toMatch(/\.$/);
  expect(example.split('\n')).toHaveLength(1);
  expect(example).toMatch(new RegExp(`^(error:|FAIL |warn ) .* \\[${code}\\]$`));
});

describe('the example of each code is a sentence that the program puts together:', async () => {
  const shapes = await messageShapes(join(ROOT, 'src'));
  it.each(sections)('$code', ({ code, body }) => {
    const example = /```\n(?:error: |FAIL |warn )(.+) \[[A-Z_]+\]\n```/.exec(body)?.[1] ?? '';
    const found = shapes.filter(
      (shape) => shape.fixed >= (shape.codes.includes(code) ? 10 : 12) && hasShape(example, shape),
    );
    expect(found.map(({ pattern }) => pattern)).not.toEqual([]);
  });
});

it('every code is made somewhere in the program', async () => {
  const entries = await readdir(join(ROOT, 'src'), { recursive: true });
  const files = entries.filter((entry) => entry.endsWith('.ts') && !/^texts|exitStatus\.ts$/.test(entry));
  const sources = await Promise.all(files.map((file) => readFile(join(ROOT, 'src', file), 'utf8')));
  // A comparison with a code or a comment makes none.
  const code = sources
    .join('\n')
    .replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .replace(/(?:===|!==|case) '[A-Z_]+'/g, '');
  const unused = ERROR_CODES.filter(
    (each) => !code.includes(`'${each}'`) && !code.includes(`'${each}.`) && !code.includes(`[${each}]`),
  );
  expect(unused).toEqual([]);
});
