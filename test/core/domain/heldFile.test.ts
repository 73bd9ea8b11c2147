import { describe, expect, it } from 'vitest';
import { whileHeld } from '../../../src/core/domain/heldFile.ts';

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
