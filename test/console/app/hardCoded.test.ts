import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const APP = fileURLToPath(new URL('../../../src/console/app', import.meta.url));

/** Attributes that people see or hear. */
const SHOWN = new Set(['alt', 'aria-label', 'aria-description', 'label', 'placeholder', 'title', 'caption']);
/** Attributes of elements, and keys of objects, whose texts are for the browser. */
const FOR_BROWSER = new Set(['class', 'className', 'd', 'key', 'style', 'viewBox', 'rel']);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Texts of a page that should be in the language files. */
function textsIn(source: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const { type, ...rest } = node as Node;
    if (/^(?:Import|Export\w+From|ExportAll)/.test(type) || type === 'ThrowStatement') return;
    if (type.startsWith('TS') && !/^TS(?:As|NonNull|Satisfies)/.test(type)) return;
    if (type === 'JSXText') {
      const { value } = rest as { value?: unknown };
      if (/\p{L}{2,}/u.test(String(value))) found.push(String(value).trim());
      return;
    }
    if (type === 'JSXAttribute') {
      const { name, value } = rest as { name?: { name?: unknown }; value?: Node | null };
      const its = String(name?.name);
      if (FOR_BROWSER.has(its)) return;
      if (SHOWN.has(its) && value?.type === 'Literal' && /\p{L}{2,}/u.test(String(value['value'])))
        found.push(String(value['value']));
    }
    if (type === 'Literal' && typeof rest['value'] === 'string') sentence(rest['value']);
    if (type === 'TemplateElement') sentence(String((rest['value'] as { cooked?: unknown }).cooked));
    Object.values(rest).forEach(visit);
  };
  const sentence = (text: string): void => {
    // Begins like a sentence or a label, or ends like a sentence; identifiers, selectors and lists of classes do neither.
    if (
      /^\p{Lu}\p{Ll}{2,}$/u.test(text) ||
      /^\p{Lu}\p{Ll}+,? \p{L}+/u.test(text.trim()) ||
      /\p{Ll}{2,}[,.:]? \p{Ll}{2,}[^,>[(]*[.?!…]$/u.test(text.trim())
    )
      found.push(text);
  };
  visit(parseAst(source, { lang: 'tsx' }));
  return found;
}

describe('the pages of the console', () => {
  it('contain no text outside the language files', async () => {
    const names = (await readdir(APP, { recursive: true }))
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('languages'))
      .sort();
    const found = await Promise.all(
      names.map(async (name) => [name, textsIn(await readFile(join(APP, name), 'utf8'))] as const),
    );
    expect(names.length).toBeGreaterThan(50);
    // Commands, key names and the type of dragged files are the same in every language.
    const allowed = /^receiptd(?: console| setup --browser)$|^Arrow$|^Files$/;
    expect(
      found
        .map(([name, texts]) => [name, texts.filter((text) => !allowed.test(text))] as const)
        .filter(([, texts]) => texts.length > 0),
    ).toEqual([]);
  });

  it.each([
    ['between tags', '<p>Not sent</p>'],
    ['as a label', '<button aria-label="Close" />'],
    ['as a value', '<p>{isOpen ? "It is open" : null}</p>'],
    ['in a template', 'const said = `Sent to ${alias} just now.`;'],
    ['in an object', 'const column = { head: "First seen" };'],
  ])('are checked for hard-coded text %s', (_, source) => {
    expect(textsIn(source)).not.toEqual([]);
  });
});
