import { expect, test } from 'vitest';
import { mutate, NothingToMutate } from './operators.ts';

const SOURCE = `
class Door {
  #key: string | null = 'key';
  async open(who: Guest): Promise<boolean> {
    await this.#lock?.turn(who!).catch(() => {});
    if (who.isKnown && this.#key !== null) return true;
    return this.knock(who);
  }
}
const LIMIT = 8;
const open = (size: number) => size < LIMIT;
export function knock({ loud = false }) {
  return ring({ times: 3, loud });
}
`;
const file = 'door.ts';
const after = (edit: object): string => mutate(SOURCE, [{ file, ...edit } as never], 'ts');

test.each([
  [{ in: 'Door.open', drop: 'turn' }, 'await this.#lock?.turn(who!).catch(() => {});', ';'],
  [{ call: 'ring', becomes: '[$&]' }, 'ring({ times: 3, loud })', '[ring({ times: 3, loud })]'],
  [
    { in: 'Door.open', condition: 'isKnown', is: 'true' },
    'if (who.isKnown && this.#key !== null)',
    'if (true)',
  ],
  [
    { condition: '#key', is: '!$&' },
    'if (who.isKnown && this.#key !== null)',
    'if (!(who.isKnown && this.#key !== null))',
  ],
  [{ value: 'LIMIT', becomes: '$& + 1' }, 'LIMIT = 8', 'LIMIT = 8 + 1'],
  [{ in: 'knock', value: 'times', becomes: '0' }, 'times: 3', 'times: 0'],
  [
    { in: 'knock', value: 'loud', becomes: '!$&' },
    'loud = false }) {\n  return ring({ times: 3, loud',
    'loud = !false }) {\n  return ring({ times: 3, loud: !loud',
  ],
  [{ value: '#key', becomes: 'null' }, "= 'key'", '= null'],
  [{ in: 'knock', returns: 'null' }, 'return ring({ times: 3, loud })', 'return null'],
  [{ in: 'knock', first: 'return 1;' }, '{\n  return ring', '{ return 1;\n  return ring'],
  [{ in: 'open', body: 'true' }, '=> size < LIMIT', '=> true'],
])('%j changes its place and nothing else', (edit, from, to) => {
  const expected =
    'body' in edit
      ? SOURCE.replace(/\{\n {4}await[^]*?\n {2}\}/, '{ true }').replace(from, to)
      : SOURCE.replace(from, to);
  expect(after(edit)).toBe(expected);
});

test('an edit without a place is refused', () => {
  expect(() => after({ in: 'Door.close', drop: 'turn' })).toThrow(NothingToMutate);
  expect(() => after({ in: 'knock', drop: 'turn' })).toThrow(NothingToMutate);
});
