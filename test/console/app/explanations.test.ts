import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { classify } from '../../../src/core/domain/outcome.ts';
import { joined, says, saysError } from '../../../src/core/domain/setupWords.ts';
import { textsIn } from '../../../src/texts/texts.ts';

/** Loads a browser module, whose types are not available here. */
const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../../src/console/app/${name}`, import.meta.url).href)) as T;
/** Loads it as in a browser with that language. */
async function loadIn<T>(language: string, name: string): Promise<T> {
  vi.resetModules();
  vi.stubGlobal('navigator', { languages: [language] });
  try {
    return await load<T>(name);
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
}
const { reasonText } = await load<{ reasonText: (reason: string, state?: string) => string | null }>(
  'explanations.ts',
);

const { labelOf, loadLabels } = await load<{
  labelOf: (key: string) => string;
  loadLabels: () => Promise<void>;
}>('settings/labels.ts');
await loadLabels();

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const shared = await textsIn('en', String);

describe('the console texts', () => {
  it('cover every reason of a document or file', async () => {
    const [, table = ''] = (await read('docs/documents.md')).split('## Reasons');
    const reasons = [...(table.split(/^## /m, 1)[0] ?? '').matchAll(/^\|([^|]+)\|/gm)].flatMap(
      ([, cell = '']) => [...cell.matchAll(/`([A-Z][A-Z\d_]+)`/g)].map(([, code = '']) => code),
    );
    expect(reasons.length).toBeGreaterThan(30);
    expect(reasons.filter((reason) => reasonText(reason) === null)).toEqual([]);
  });

  it('cover every response of the service, and every failure to get one', async () => {
    const faults = [...(await read('src/texts/fault.ts')).matchAll(/^  ([A-Z\d_]+): '/gm)].map(
      ([, code = '']) => code,
    );
    expect(faults.length).toBeGreaterThan(20);
    // As the proxy's own code, it never stands alone.
    faults[faults.indexOf('TIMEOUT')] = 'PROXY_TIMEOUT';
    const others = ['HPE_INVALID', 'UND_ERR_SOCKET', 'ECONNRESET', 'PROXY_ECONNREFUSED', 'UNKNOWN'];
    const statuses = Array.from({ length: 500 }, (_, index) => `HTTP_${100 + index}`);
    expect([...faults, ...others, ...statuses].filter((code) => reasonText(code) === null)).toEqual([]);
    expect(reasonText('HTTP_400')).toBe('The service refused it (HTTP 400).');
    expect(reasonText('HTTP_400', 'unconfirmed')).toBe('The service may have it already (HTTP 400).');
    expect(reasonText('EIO', 'unreadable')).toBe('The file can’t be read (EIO).');
    expect(reasonText('NO_SUCH_REASON')).toBeNull();
  });

  it('explain a status of the service as the agent treats it', () => {
    const { reasons } = shared;
    const texts = {
      failed: reasons.refused,
      unauthorized: reasons.unauthorized,
      slowDown: reasons.slowDown,
      unconfirmed: reasons.mayHaveIt,
    };
    const expected = {
      endpoint: { baseUrl: 'https://api.example.com', uid: 'office' },
      name: 'a.jpg',
      answerLost: false,
    };
    for (let httpStatus = 100; httpStatus < 600; httpStatus += 1) {
      const { kind } = classify({ kind: 'response', httpStatus, retryAfterMs: null, body: '' }, expected);
      const text = reasonText(`HTTP_${httpStatus}`);
      const said = Object.entries(texts).flatMap(([each, its]) =>
        text === reasons.withCode(its, `HTTP ${httpStatus}`) ? [each] : [],
      );
      expect([httpStatus, said]).toEqual([httpStatus, Object.hasOwn(texts, kind) ? [kind] : []]);
    }
  });

  it('name a setting as its form does', () => {
    expect(labelOf('folders[0].accept[2]')).toBe('Types to send');
    expect(labelOf('endpoints.office.rate')).toBe('Rate');
    expect(labelOf('unknown')).toBe('unknown');
  });

  it('leave no text of setup outside the language files', async () => {
    // A text that is the same in every language contains no words.
    const dir = new URL('../../../src/cli/setup/', import.meta.url);
    for (const name of await readdir(dir))
      expect([name, /\bplain\(['"`][^'"`]/.exec(await readFile(new URL(name, dir), 'utf8'))]).toEqual([
        name,
        null,
      ]);
  });

  it('use the language of the page, and English as the fallback', async () => {
    const { textOf } = await loadIn<{ textOf: (said: object) => string }>('de', 'setupTexts.ts');
    const said = joined(says('folder.at', { path: '/scans' }), says('existing.send', { files: 1 }));
    expect(textOf(said)).toBe('/scans: Alle senden: 1 Datei');
    expect(textOf(says('existing.send', { files: 1204 }))).toBe('Alle senden: 1.204 Dateien');
    expect(textOf(saysError(new ReceiptdError('USAGE.eitherFlag', { flags: ['--a', '--b'] })))).toMatch(
      /--a.*--b.* \[USAGE\]$/,
    );
    expect(textOf({ text: 'As it is.', parts: [{ key: 'of.tomorrow', values: {} }] })).toBe('As it is.');
    const here = await load<{ textOf: (said: object) => string }>('setupTexts.ts');
    expect(here.textOf(said)).toBe('/scans: Send all 1 file');
  });
});
