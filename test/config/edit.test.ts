import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml, stringify } from 'yaml';
import type { ConfigChange, ConfigJson } from '../../src/config/change.ts';
import { applyEdits, editData } from '../../src/config/edit.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { isEveryCase } from '../support/everyCase.ts';

const FILE = '/etc/receiptd/receiptd.yaml';

const TEXT = `# The office's receipts.
service: { baseUrl: 'https://api.example.com' }   # ask Ann before a change

endpoints:
    # at the reception
    office:
        uid: "u-1"     # never change
        rate: 5/s
    depot: { uid: u-2, rate:   10/m }

folders:
    -   path: /srv/scans      # the scanner writes here
        endpoint: office

        # long, because the old scanner is slow
        settle: {short: 1s}
    - { path: '/srv/other', endpoint: depot }

delivery:   # how fast
# the end
`;

function edit(...edits: ConfigChange[]): string {
  return applyEdits(TEXT, edits, FILE);
}

/** Lines that were taken away (-) and put there (+), in their order. */
function changes(after: string, before = TEXT): string[] {
  const [from, to] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < Math.min(from.length, to.length) && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  return [
    ...from.slice(head, from.length - tail).map((line) => `-${line}`),
    ...to.slice(head, to.length - tail).map((line) => `+${line}`),
  ];
}

function refusal(work: () => unknown): ReceiptdError {
  try {
    work();
  } catch (error) {
    if (error instanceof ReceiptdError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('an edit changes its own section and no other', () => {
  it('where a value gets another, its quotes and comments stay', () => {
    expect(changes(edit({ kind: 'set', path: ['service', 'baseUrl'], value: 'https://b.example' }))).toEqual([
      "-service: { baseUrl: 'https://api.example.com' }   # ask Ann before a change",
      "+service: { baseUrl: 'https://b.example' } # ask Ann before a change",
    ]);
    expect(edit({ kind: 'set', path: ['endpoints', 'office', 'uid'], value: 'u-9' })).toContain(
      '    # at the reception\n    office:\n        uid: "u-9" # never change\n        rate: 5/s\n',
    );
  });

  it('where a key is new, it comes last in its mapping, in the style of that', () => {
    const added = (after: string): string[] => {
      const before = edit({ kind: 'set', path: ['endpoints', 'office', 'rate'], value: '5/m' });
      return changes(after, before.replace('5/m', '5/s')).filter((line) => line.startsWith('+'));
    };
    expect(added(edit({ kind: 'set', path: ['endpoints', 'office', 'perDay'], value: 100 }))).toEqual([
      '+        perDay: 100',
    ]);
    expect(added(edit({ kind: 'set', path: ['endpoints', 'depot', 'perDay'], value: 100 }))).toEqual([
      '+    depot: { uid: u-2, rate: 10/m, perDay: 100 }',
    ]);
    expect(
      added(edit({ kind: 'set', path: ['endpoints', 'shop'], value: { uid: 'u-3', perDay: 7 } })),
    ).toEqual(['+    shop:', '+        uid: u-3', '+        perDay: 7']);
  });

  it('where a mapping is empty or not there, it is made', () => {
    expect(changes(edit({ kind: 'set', path: ['delivery', 'rate'], value: '2/s' }))).toEqual([
      '-delivery:   # how fast',
      '+delivery:',
      '+    # how fast',
      '+    rate: 2/s',
    ]);
    expect(changes(edit({ kind: 'set', path: ['intake', 'pollEvery'], value: '9s' }))).toEqual([
      '+intake:',
      '+    pollEvery: 9s',
    ]);
  });

  it('where a list gets one more', () => {
    const block = 'folders:\n- path: /a # first\n# the end\n';
    expect(
      applyEdits(block, [{ kind: 'append', path: ['folders'], value: { path: '/b', ignore: ['x'] } }], FILE),
    ).toBe('folders:\n- path: /a # first\n- path: /b\n  ignore:\n  - x\n# the end\n');
    expect(applyEdits('a: [ 1, 2 ] # two\n', [{ kind: 'append', path: ['a'], value: 3 }], FILE)).toBe(
      'a: [ 1, 2, 3 ] # two\n',
    );
    expect(applyEdits('a: 1', [{ kind: 'append', path: ['b', 'c'], value: 3 }], FILE)).toBe(
      'a: 1\nb:\n  c:\n    - 3',
    );
  });

  it('in the file that the product ships, one line for each', async () => {
    const shipped = await readFile(new URL('../../config/receiptd.yaml', import.meta.url), 'utf8');
    const one = (change: ConfigChange) => changes(applyEdits(shipped, [change], FILE), shipped);
    expect(one({ kind: 'set', path: ['service', 'proxy'], value: 'direct' })).toEqual(['+  proxy: direct']);
    expect(one({ kind: 'set', path: ['endpoints', 'office', 'rate'], value: '5/s' })).toEqual([
      '+    rate: 5/s',
    ]);
    expect(one({ kind: 'set', path: ['folders', 0, 'recursive'], value: true })).toEqual([
      '+    recursive: true',
    ]);
    expect(one({ kind: 'append', path: ['folders'], value: { path: '/srv/more' } })).toEqual([
      '+  - path: /srv/more',
    ]);
    expect(one({ kind: 'set', path: ['log', 'level'], value: 'debug' })).toEqual([
      '+log:',
      '+  level: debug',
    ]);
  });

  it('behind keys that are commented out, which belong to what is before them', () => {
    const text =
      'folders:\n  - path: /a\n    # or not\n    #recursive: true\n\n    #watch: poll\n# the end\nspool: auto\n';
    const folder: ConfigChange = { kind: 'append', path: ['folders'], value: { path: '/b' } };
    expect(applyEdits(text, [folder], FILE)).toBe(
      text.replace('#watch: poll\n', '#watch: poll\n  - path: /b\n'),
    );
    const key: ConfigChange = { kind: 'set', path: ['folders', 0, 'accept'], value: ['pdf'] };
    expect(changes(applyEdits(text, [key], FILE), text)).toEqual(['+    accept:', '+      - pdf']);
    const top: ConfigChange = { kind: 'set', path: ['delivery', 'rate'], value: '1/s' };
    expect(applyEdits(text, [top], FILE)).toBe(`${text}delivery:\n  rate: 1/s\n`);
  });

  it('where something goes away; what people wrote around it stays', () => {
    const gone = (...path: (string | number)[]) => edit({ kind: 'remove', path });
    expect(parseYaml(gone('folders', 1))).toMatchObject({ folders: [{ path: '/srv/scans' }] });
    expect(gone('folders', 1)).toContain('# long, because the old scanner is slow\n');
    expect(gone('endpoints', 'office', 'rate')).toContain(
      '    office:\n        uid: "u-1" # never change\n    depot: { uid: u-2, rate: 10/m }\n',
    );
    expect(gone('endpoints', 'depot', 'rate')).toContain('    depot: { uid: u-2 }\n');
    expect(changes(gone('delivery'))).toEqual(['-delivery:   # how fast']);
  });

  it('where a whole mapping is given, only what differs', () => {
    const value = { path: '/srv/scans', endpoint: 'depot', settle: { short: '1s' }, recursive: true };
    const text = edit({ kind: 'set', path: ['folders', 0], value });
    expect(text).toContain('# the scanner writes here');
    expect(text).toContain('# long, because the old scanner is slow');
    expect(changes(text).filter((line) => line.startsWith('-'))).toContain('-        endpoint: office');
    expect(parseYaml(text)).toMatchObject({ folders: [value, { path: '/srv/other' }] });
  });

  it('a list that loses some of its items keeps the others as they are', () => {
    const text = 'ignore:\n  - a # one\n  - b # two\n  - c # three\n';
    expect(applyEdits(text, [{ kind: 'set', path: ['ignore'], value: ['a', 'c'] }], FILE)).toBe(
      'ignore:\n  - a # one\n  - c # three\n',
    );
  });

  it('the last one of a list leaves an empty list', () => {
    expect(applyEdits('a:\n  - 1\nb: 2\n', [{ kind: 'remove', path: ['a', 0] }], FILE)).toBe('a: []\nb: 2\n');
    expect(applyEdits('a: # mine\n  b: 1\n', [{ kind: 'remove', path: ['a', 'b'] }], FILE)).toBe(
      'a: {} # mine\n',
    );
  });

  it('line breaks of Windows and a byte order mark stay', () => {
    const windows = `\uFEFF${TEXT.replaceAll('\n', '\r\n')}`;
    const after = applyEdits(
      windows,
      [
        { kind: 'set', path: ['endpoints', 'shop'], value: { uid: 'u-3' } },
        { kind: 'remove', path: ['endpoints', 'office', 'rate'] },
        { kind: 'set', path: ['delivery', 'hours'], value: ['Mon 08:00-10:00'] },
      ],
      FILE,
    );
    expect(after.startsWith('\uFEFF# The')).toBe(true);
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(parseYaml(after.slice(1))).toMatchObject({
      endpoints: { shop: { uid: 'u-3' }, office: { uid: 'u-1' } },
      delivery: { hours: ['Mon 08:00-10:00'] },
    });
  });

  it('long lines are not folded, and texts that look like something else get quotes', () => {
    const long = `word ${'and another word '.repeat(20)}end`;
    const text = `note: ${long}\na: 1\n`;
    expect(applyEdits(text, [{ kind: 'set', path: ['a'], value: 'yes: # no' }], FILE)).toBe(
      `note: ${long}\na: "yes: # no"\n`,
    );
    expect(applyEdits(text, [{ kind: 'set', path: ['a'], value: long }], FILE)).toBe(
      `note: ${long}\na: ${long}\n`,
    );
    for (const value of ['true', '12', '~', '', '*.jpg', '- x', 'a\nb', "it's", '{stem}', 'C:\\x'])
      expect(parseYaml(applyEdits(text, [{ kind: 'set', path: ['a'], value }], FILE))).toEqual({
        note: long,
        a: value,
      });
  });
});

describe('anchors and aliases', () => {
  const SHARED = 'folders:\n  - path: /a\n    settle: &slow { short: 1s }\n  - path: /b\n    settle: *slow\n';

  it('what is shared is not changed for one of its users only', () => {
    for (const path of [
      ['folders', 1, 'settle', 'short'],
      ['folders', 0, 'settle', 'short'],
    ]) {
      const error = refusal(() => applyEdits(SHARED, [{ kind: 'set', path, value: '9s' }], FILE));
      expect(error).toMatchObject({ key: 'CONFIG_INVALID.tangled', params: { isShared: true } });
    }
    const gone: ConfigChange = { kind: 'remove', path: ['folders', 0] };
    expect(refusal(() => applyEdits(SHARED, [gone], FILE)).params).toMatchObject({ isShared: true });
  });

  it('an alias may get a value of its own, and everything else is changed as always', () => {
    const own: ConfigChange = { kind: 'set', path: ['folders', 1, 'settle'], value: 'none' };
    expect(applyEdits(SHARED, [own], FILE)).toBe(SHARED.replace('*slow', 'none'));
    const path: ConfigChange = { kind: 'set', path: ['folders', 1, 'path'], value: '/c' };
    expect(applyEdits(SHARED, [path], FILE)).toBe(SHARED.replace('/b', '/c'));
    const second: ConfigChange = { kind: 'remove', path: ['folders', 1] };
    expect(applyEdits(SHARED, [second], FILE)).toBe(SHARED.split('  - path: /b')[0]);
  });
});

it.each<ConfigChange>([
  { kind: 'remove', path: ['nothing'] },
  { kind: 'remove', path: ['folders', 7] },
  { kind: 'set', path: ['folders', 7, 'path'], value: 1 },
  { kind: 'set', path: ['folders', 2], value: 1 },
  { kind: 'set', path: ['service', 'baseUrl', 'x'], value: 1 },
  { kind: 'append', path: ['service'], value: 1 },
  { kind: 'set', path: ['__proto__', 'x'], value: 1 },
  { kind: 'set', path: [], value: 1 },
])('refuses a path that does not exist: %j', (wrong) => {
  expect(refusal(() => edit(wrong)).code).toBe('CONFIG_INVALID');
});

it('refuses a text that is not YAML', () => {
  const error = refusal(() => applyEdits('a: [', [{ kind: 'set', path: ['a'], value: 1 }], FILE));
  expect(error.code).toBe('CONFIG_SYNTAX');
});

const keys = fc.constantFrom('a', 'b', 'path', 'a key', '7', 'true');
const scalars = fc.oneof(
  fc.constantFrom<ConfigJson>(
    null,
    true,
    'plain',
    '',
    'true',
    '- x',
    'a: b',
    'it is # so',
    "it's",
    'zwei\nZeilen',
    ' x ',
  ),
  fc.integer(),
  fc.string({ unit: 'grapheme' }),
);
const { json } = fc.letrec<{ json: ConfigJson; list: ConfigJson[]; map: Record<string, ConfigJson> }>(
  (tie) => ({
    json: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalars, tie('list'), tie('map')),
    list: fc.array(tie('json'), { maxLength: 4 }),
    map: fc.dictionary(keys, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  }),
);
const root = fc.dictionary(keys, json, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

/** The same data in one of the many styles that people have. */
const styled = fc
  .record({
    data: root,
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom('any' as const, 'flow' as const, 'block' as const),
    quotes: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
    windows: fc.boolean(),
    noted: fc.boolean(),
    open: fc.boolean(),
  })
  .map(({ data, indent, indentSeq, collectionStyle, quotes, windows, noted, open }) => {
    const options = {
      indent,
      indentSeq,
      collectionStyle,
      defaultStringType: quotes,
      blockQuote: false,
      lineWidth: 0,
    };
    let lines = stringify(data, { ...options, defaultKeyType: 'PLAIN' })
      .trimEnd()
      .split('\n');
    const isBlock = collectionStyle !== 'flow' && !lines.some((line) => /[[{]\s*$/.test(line));
    if (noted && isBlock)
      lines = lines.flatMap((line, i) => [`${line} # n${i}`, `${' '.repeat(i % 5)}# m${i}`, '']);
    return {
      data,
      text: lines.join(windows ? '\r\n' : '\n') + (open ? '' : windows ? '\r\n' : '\n'),
    };
  });

function pathsIn(
  data: ConfigJson,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (typeof data !== 'object' || data === null) return [path];
  const inner = Array.isArray(data)
    ? (data as ConfigJson[]).flatMap((item, index) => pathsIn(item, [...path, index]))
    : Object.entries(data).flatMap(([key, value]) => pathsIn(value, [...path, key]));
  return [path, ...inner];
}

/** Notes in the middle of a text of several lines make another text of it. */
function saysExactly(text: string, data: ConfigJson): boolean {
  try {
    return isDeepStrictEqual(parseYaml(text), data);
  } catch {
    return false;
  }
}

it('an edited text means what the edited data mean, in any style of YAML', () => {
  const property = fc.property(
    styled,
    fc.nat(),
    keys,
    json,
    fc.constantFrom('set', 'new', 'remove', 'append'),
    ({ data, text }, pick, key, value, what) => {
      fc.pre(saysExactly(text, data));
      const paths = pathsIn(data).filter((path) => path.length > 0);
      const path = paths[pick % paths.length] ?? [];
      const change: ConfigChange =
        what === 'set'
          ? { kind: 'set', path, value }
          : what === 'new'
            ? { kind: 'set', path: [...path, key], value }
            : what === 'remove'
              ? { kind: 'remove', path }
              : { kind: 'append', path, value };
      const outcome = (work: () => ConfigJson): ConfigJson => {
        try {
          return { says: work() };
        } catch (error) {
          if (error instanceof ReceiptdError) return { refused: error.sentence() };
          throw error;
        }
      };
      let after = text;
      const said = outcome(() => parseYaml((after = applyEdits(text, [change], FILE))) as ConfigJson);
      expect(said).toEqual(outcome(() => editData(data, change)));
      // Where nothing is replaced; of a list in a list, of which no configuration has one, the parser drops some.
      const before = path.reduce<unknown>((at, each) => Reflect.get(Object(at), each), data);
      const isNew = what === 'new' && !Object.hasOwn(Object(before), key);
      const kept =
        (isNew || (what === 'append' && Array.isArray(before))) && !/- +-/.test(text)
          ? [...text.matchAll(/# [nm]\d+/g)]
          : [];
      expect(kept.filter(([note]) => !after.includes(note))).toEqual([]);
    },
  );
  fc.assert(property, { numRuns: isEveryCase ? 1_000 : 60 });
});
