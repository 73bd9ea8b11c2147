/** The short form of `npm run campaign -- answers`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runClientCase, SECRET, TOKEN, trySeed, UID, type ClientCase } from './clientCase.ts';
import { makeCertificate } from './certificate.ts';
import { USUAL, type Plan } from './plan.ts';
import { wireOf } from './wire.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';

const root = mkdtempSync(join(memoryDirectory(), 'receiptd-answers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const certificate = makeCertificate(root);

function upload(plan: Plan): ClientCase {
  const step = { route: 'upload', plan, name: 'a', size: 200, afterLost: false } as const;
  return { way: 'plain', steps: [step], heals: true };
}

describe('whatever the service answers', () => {
  it('the client reports exactly what was answered', async () => {
    const breaches: string[] = [];
    const lane = async (_: unknown, at: number): Promise<void> => {
      for (let seed = at + 1; seed <= 60; seed += 30) breaches.push(...(await trySeed(seed, certificate)));
    };
    await Promise.all(Array.from({ length: 30 }).map(lane));
    expect(breaches).toEqual([]);
  });

  it.each(['end', 'reset'] as const)(
    'the client believes no answer that is cut off after any byte (%s)',
    async (how) => {
      const context = { route: 'upload', name: 'a', uid: UID, token: TOKEN, secret: SECRET } as const;
      const { length } = wireOf(USUAL, context).bytes;
      const breaches: unknown[] = [];
      // Each kind of cut takes every other byte, and both take the last ones.
      for (let at = how === 'end' ? 0 : 1; at < length; at += at < length - 8 ? 2 : 1) {
        const cut = { at: (at + 0.5) / length, how };
        const breach = await runClientCase(upload({ ...USUAL, cut }), certificate, true);
        if (breach) breaches.push({ at, breach });
      }
      expect(breaches).toEqual([]);
    },
  );
});
