import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Guard } from '../../../src/intake/folder/guarded.ts';

const LIMIT_MS = 200;

beforeEach(() => {
  vi.stubEnv('UV_THREADPOOL_SIZE', '16');
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** A folder whose operations answer only when the test says so. */
function hanging() {
  let asked = 0;
  let answer = (): void => {};
  const silence = new Promise<void>((resolve) => {
    answer = resolve;
  });
  onTestFinished(() => answer());
  const guard = new Guard({
    limitMs: LIMIT_MS,
    probe: async () => {
      asked += 1;
      await silence;
    },
  });
  return { guard, hang: () => silence, answer: () => answer(), asked: () => asked };
}

async function code(operation: Promise<unknown>): Promise<unknown> {
  return operation.then(
    () => 'answered',
    (error: unknown) => (error as { code?: unknown }).code,
  );
}

describe('an operation that hangs', () => {
  it('times out after the limit, and later ones fail at once', async () => {
    const { guard, hang } = hanging();
    const from = performance.now();
    expect(await code(guard.run(hang))).toBe('ETIMEDOUT');
    // Timers are rounded to milliseconds.
    expect(performance.now() - from).toBeGreaterThan(LIMIT_MS - 2);
    expect(guard.isSilent).toBe(true);
    const again = performance.now();
    expect(await code(guard.run(async () => 'never begun'))).toBe('ETIMEDOUT');
    expect(performance.now() - again).toBeLessThan(LIMIT_MS / 2);
  });

  it('occupies only a few threads, regardless of callers and time', async () => {
    const { guard, hang } = hanging();
    let begun = 0;
    const operation = async (): Promise<void> => {
      begun += 1;
      await hang();
    };
    const asked = Array.from({ length: 100 }, () => code(guard.run(operation)));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['ETIMEDOUT']));
    for (let round = 0; round < 20; round += 1) {
      expect(await code(guard.run(operation))).toBe('ETIMEDOUT');
      await sleep(LIMIT_MS / 5);
    }
    expect(begun).toBe(4);
    expect(guard.underWay).toBe(4);
  });

  it('ends the silence when it answers', async () => {
    const { guard, hang, answer } = hanging();
    await code(guard.run(hang));
    answer();
    await vi.waitFor(() => expect(guard.isSilent).toBe(false));
    expect(await guard.run(async () => 'well')).toBe('well');
    expect(guard.underWay).toBe(0);
  });

  it('ends the silence when it fails: an error is an answer', async () => {
    const guard = new Guard({ limitMs: LIMIT_MS, probe: async () => {} });
    let fail: (error: Error) => void = () => {};
    const stuck = new Promise<never>((_, reject) => {
      fail = reject;
    });
    expect(await code(guard.run(() => stuck))).toBe('ETIMEDOUT');
    fail(Object.assign(new Error('ENOTCONN'), { code: 'ENOTCONN' }));
    await vi.waitFor(() => expect(guard.isSilent).toBe(false));
  });
});

it('several hanging folders leave threads for a working one', async () => {
  const dead = Array.from({ length: 5 }, () => hanging());
  const asked = dead.flatMap(({ guard, hang }) => Array.from({ length: 10 }, () => code(guard.run(hang))));
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['ETIMEDOUT']));
  const stuck = dead.reduce((sum, { guard }) => sum + guard.underWay, 0);
  expect(stuck).toBeLessThanOrEqual(14);
  const well = new Guard({ limitMs: LIMIT_MS, probe: async () => {} });
  expect(await Promise.all([1, 2, 3].map((n) => well.run(async () => n)))).toEqual([1, 2, 3]);
});

it('does not time out a slow operation that makes progress', async () => {
  const { guard } = hanging();
  const slow = guard.run(async (progress) => {
    for (let step = 0; step < 5; step += 1) {
      await sleep(LIMIT_MS / 2);
      progress();
    }
    return 'done';
  });
  expect(await slow).toBe('done');
});

describe('an operation without a time limit', () => {
  it('continues while the folder answers', async () => {
    const guard = new Guard({ limitMs: LIMIT_MS, probe: async () => {} });
    const long = guard.runLong(async () => {
      await sleep(3 * LIMIT_MS);
      return 'copied';
    });
    expect(await long).toBe('copied');
  });

  it('is abandoned if the folder stops answering, and not restarted while it may still take effect', async () => {
    let hung = true;
    let end = (): void => {};
    const silence = new Promise<void>((resolve) => {
      end = resolve;
    });
    onTestFinished(() => end());
    const guard = new Guard({ limitMs: LIMIT_MS, probe: () => (hung ? silence : Promise.resolve()) });
    expect(await code(guard.runLong(() => silence))).toBe('ETIMEDOUT');
    hung = false;
    await vi.waitFor(async () => {
      expect(await code(guard.run(async () => {}))).toBe('answered');
    }, 10_000);
    expect(await code(guard.runLong(async () => {}))).toBe('ETIMEDOUT');
  });
});
