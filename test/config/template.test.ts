import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { schemaTree } from '../../src/config/schemaTree.ts';
import type { SchemaNode } from '../../src/config/schemaTree.ts';
import { defaultConfigText, pathDefaults, SHIPPED_VALUES } from '../../src/config/template.ts';
import { parse, yaml } from './support.ts';

const VALUES = { baseUrl: 'https://api.example.com', uid: 'u-1', folder: '/srv/scans' };

/** Functions are not compared. */
function plain(config: Config): unknown {
  return JSON.parse(JSON.stringify(config));
}

function uncommented(text: string): string {
  return text.replace(/^( *)#(?=[a-z])/gim, '$1');
}

describe('the config that init writes', () => {
  const text = defaultConfigText(VALUES);

  it('is valid, and says no more than its three values', () => {
    expect(plain(parse(text, { isRoot: true }))).toEqual(plain(parse(yaml(), { isRoot: true })));
  });

  it('is valid with every comment made a setting, and those are the defaults', () => {
    expect(uncommented(text)).not.toBe(text);
    expect(plain(parse(uncommented(text), { isRoot: true }))).toEqual(plain(parse(text, { isRoot: true })));
  });

  it.each([
    ['linux', '/home/anna', '/home/anna/.local/state/receiptd', '/credentials.json'],
    ['darwin', '/Users/anna', '/Users/anna/Library/Application Support/receiptd', '/credentials.json'],
    ['win32', 'C:\\Users\\anna', 'C:\\Users\\anna\\AppData\\Local\\receiptd', '\\credentials.json'],
  ] as const)('shows the defaults of the user on %s', (platform, home, stateDir, credentials) => {
    const context = { platform, home, cwd: home, env: {}, isRoot: false };
    const file = platform === 'win32' ? `${home}\\receiptd.yaml` : `${home}/receiptd.yaml`;
    const paths = pathDefaults(file, context);
    expect(paths).toEqual({ stateDir, credentialsFile: stateDir + credentials });
    const here = { ...paths, agent: 'annas-desk', from: 'receiptd@desk.example' };
    const folder = platform === 'win32' ? 'D:\\scans' : VALUES.folder;
    const own = defaultConfigText({ ...VALUES, folder, here });
    expect(own).not.toContain('/var/lib/receiptd');
    expect(own).toContain('agent: annas-desk');
    expect(own).toContain('from: receiptd@desk.example');
    expect(plain(parseConfig(uncommented(own), file, context))).toEqual(
      plain(parseConfig(own, file, context)),
    );
  });

  it('shows every key of the schema', () => {
    const keys = (node: SchemaNode): string[] =>
      Object.entries(node.properties ?? {}).flatMap(([key, inner]) => [
        key,
        ...keys(inner),
        ...keys(inner.items ?? {}),
        ...keys(inner.additionalProperties || {}),
      ]);
    const tree = schemaTree();
    // There is no account by default.
    const properties = { ...tree.properties, accounts: {} };
    const all = keys({ ...tree, properties });
    expect(all.length).toBeGreaterThan(40);
    const settings = uncommented(text).replace(/^ *#.*$/gm, '');
    const times = (haystack: string, key: string) =>
      haystack.match(new RegExp(`\\b${key}:`, 'g'))?.length ?? 0;
    const missing = all.filter((key) => times(settings, key) !== all.filter((other) => other === key).length);
    expect(missing).toEqual([]);
  });

  it('names the schema for editors in its first line, where it is', () => {
    const shipped = defaultConfigText(SHIPPED_VALUES);
    expect(shipped.split('\n')[0]).toBe('# yaml-language-server: $schema=./receiptd.schema.json');
    // It is not beside the file that is written for somebody.
    expect(text).not.toContain('$schema');
    expect(defaultConfigText({ ...VALUES, schema: '/opt/s.json' }).split('\n')[0]).toContain(
      '$schema=/opt/s.json',
    );
  });

  it.each([
    "/srv/Ann's scans",
    '/srv/a: b #c',
    'C:\\Scans\\new',
    '/srv/"quoted"',
    '/srv/*',
    '/srv/-',
    '/srv/ends ',
  ])('keeps the folder %s as it is', (folder) => {
    const config = parse(defaultConfigText({ ...VALUES, folder }));
    expect(config.folders[0]?.path).toBe(folder.startsWith('/') ? folder : `/etc/receiptd/${folder}`);
  });

  it('keeps a uid that looks like a number', () => {
    expect(parse(defaultConfigText({ ...VALUES, uid: '0123' })).endpoints[0]?.key.uid).toBe('0123');
    expect(parse(defaultConfigText({ ...VALUES, uid: '1e5' })).endpoints[0]?.key.uid).toBe('1e5');
  });
});
