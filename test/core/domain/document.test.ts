import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileIdentity, sameIdentity } from '../../../src/core/domain/document.ts';
import { whileHeld } from '../../../src/core/domain/heldFile.ts';
import { NOTE_ENDING, safeName } from '../../../src/core/domain/attention.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

const identities = fc.record<FileIdentity>({
  size: fc.nat(5),
  mtimeNs: fc.bigInt({ min: 0n, max: 3n }),
  ctimeNs: fc.bigInt({ min: 0n, max: 3n }),
  inode: fc.bigInt({ min: 0n, max: 3n }),
});

describe('a file identity', () => {
  it('is equal only if no field changed', () => {
    fc.assert(
      fc.property(identities, identities, (a, b) => {
        const differs = (Object.keys(a) as (keyof FileIdentity)[]).some((key) => a[key] !== b[key]);
        expect(sameIdentity(a, b)).toBe(!differs);
        expect(sameIdentity(a, { ...a })).toBe(true);
      }),
    );
  });
});

function held(times: number, code: string) {
  let [tries, waitedMs] = [0, 0];
  const work = async (): Promise<string> => {
    tries += 1;
    if (tries <= times) throw Object.assign(new Error(code), { code });
    return 'done';
  };
  const pause = async (ms: number) => (waitedMs += ms);
  return { work, pause, tries: () => tries, waitedMs: () => waitedMs };
}

describe('a file that another program has open on Windows', () => {
  it.each(['EBUSY', 'EPERM', 'EACCES'])('is replaced once it is released (%s)', async (code) => {
    const { work, pause, tries } = held(3, code);
    expect(await whileHeld(work, { platform: 'win32', pause })).toBe('done');
    expect(tries()).toBe(4);
  });

  it('is given up after two seconds with the system error', async () => {
    const { work, pause, waitedMs } = held(Infinity, 'EBUSY');
    await expect(whileHeld(work, { platform: 'win32', pause })).rejects.toMatchObject({ code: 'EBUSY' });
    expect(waitedMs()).toBe(2_000);
  });
});

it('does not retry after other errors', async () => {
  const { work, pause, tries } = held(1, 'ENOSPC');
  await expect(whileHeld(work, { platform: 'win32', pause })).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(tries()).toBe(1);
});

it.each(['linux', 'darwin'] as const)('does not retry a rename on %s', async (platform) => {
  const { work, pause, tries } = held(1, 'EPERM');
  await expect(whileHeld(work, { platform, pause })).rejects.toMatchObject({ code: 'EPERM' });
  expect(tries()).toBe(1);
});

describe('the name in the attention folder', () => {
  it.each([
    ['SCAN0001.JPG', 'SCAN0001.JPG'],
    ['second floor/beleg ä.jpg', 'beleg ä.jpg'],
    ['a<b>:"c|d?.jpg', 'a_b___c_d_.jpg'],
    ['con.jpg', '_con.jpg'],
    ['LPT1', '_LPT1'],
    ['contract.jpg', 'contract.jpg'],
    ['trailing. . ', 'trailing'],
    ['...', '_'],
    ['.hidden.jpg', '_.hidden.jpg'],
    ['line\nbreak.jpg', 'line_break.jpg'],
    ['\u{1b}[31m\u{85}\u2029\ud800.jpg', '_[31m___.jpg'],
    ['\u202egpj.\u2066\u200f\u200b\u{feff}exe', 'gpj.exe'],
    ['\u200b.hidden', '_.hidden'],
    [`${'ü'.repeat(120)}.jpeg`, `${'ü'.repeat(114)}.jpeg`],
  ])('%j is %j', (path, name) => {
    expect(safeName(path)).toBe(name);
  });

  it('fits the limits of every system, including the suffix of the note and a number', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (path) => {
        const name = safeName(path);
        expect(Buffer.byteLength(`${name} (0a1b2c3d)${NOTE_ENDING}`)).toBeLessThanOrEqual(255);
        expect(name).toMatch(/^[^.<>:"/\\|?*\p{Cc}][^<>:"/\\|?*\p{Cc}\p{Cs}\u2028-\u202e]*$/u);
        expect(name).not.toMatch(/[. ]$/);
      }),
      { numRuns: 200 },
    );
  });
});
