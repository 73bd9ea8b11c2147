import * as fc from 'fast-check';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Bodies, type Body } from '../../../src/features/results/body.ts';

const LIMIT = 6;
const ROOM = 10;

interface Sent {
  readonly request: IncomingMessage;
  /** Ends what becomes of the body. */
  readonly letGo: (isWell: boolean) => void;
  readonly over: Promise<unknown>;
  body: Body | null;
  /** Bytes received, by the model, and the body that it expects; null while it is being received. */
  counted: number;
  expected: Body['kind'] | null;
  isReleased: boolean;
}

type Step =
  | { readonly kind: 'begin'; readonly announces: number | null }
  | { readonly kind: 'part'; readonly which: number; readonly bytes: number }
  | { readonly kind: 'end' | 'cut' | 'reset' | 'release' | 'fail'; readonly which: number };

const which = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      announces: fc.option(fc.integer({ min: 1, max: 2 * LIMIT }), { nil: null }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('part' as const),
      which,
      bytes: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('end', 'end', 'end', 'cut', 'reset', 'release', 'fail'),
      which,
    }),
  },
);

const turn = () => new Promise((resolve) => setImmediate(resolve));

function send(bodies: Bodies, announces: number | null): Sent {
  const request = new IncomingMessage(new Socket());
  if (announces !== null) request.headers['content-length'] = String(announces);
  let letGo: Sent['letGo'] = () => {};
  const released = new Promise<boolean>((resolve) => (letGo = resolve));
  const over = bodies
    .with(request, LIMIT, async (body) => {
      sent.body = body;
      if (!(await released)) throw new Error('The disk is full.');
    })
    .catch(() => undefined);
  const expected = Number(announces) > LIMIT ? 'tooLarge' : null;
  const sent: Sent = { request, letGo, over, body: null, counted: 0, expected, isReleased: false };
  return sent;
}

it('bodies take room while they are received and used, and none once they are refused, cut off or done with', async () => {
  const seen = { whole: 0, tooLarge: 0, noRoom: 0, broken: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50, size: 'max' }), async (steps) => {
      const bodies = new Bodies(ROOM);
      const all: Sent[] = [];
      const held = () => all.reduce((sum, { counted, isReleased }) => sum + (isReleased ? 0 : counted), 0);

      const release = async (sent: Sent, isWell: boolean): Promise<void> => {
        sent.letGo(isWell);
        await sent.over;
        sent.isReleased = true;
      };

      const act = async (each: Step): Promise<void> => {
        if (each.kind === 'begin') return void all.push(send(bodies, each.announces));
        const isReleasing = each.kind === 'release' || each.kind === 'fail';
        const candidates = all.filter(({ expected, isReleased }) =>
          isReleasing ? expected !== null && !isReleased : expected === null,
        );
        const sent = candidates[each.which % candidates.length];
        if (sent === undefined) return;
        switch (each.kind) {
          case 'part':
            sent.request.push(Buffer.alloc(each.bytes));
            sent.counted += each.bytes;
            if (sent.counted > LIMIT) sent.expected = 'tooLarge';
            else if (held() > ROOM) sent.expected = 'noRoom';
            return;
          case 'end':
          case 'cut':
            sent.request.complete = each.kind === 'end';
            sent.request.push(null);
            sent.expected = each.kind === 'end' ? 'whole' : 'broken';
            return;
          case 'reset':
            sent.request.destroy(new Error('aborted'));
            sent.expected = 'broken';
            return;
          case 'release':
          case 'fail':
            return release(sent, each.kind === 'release');
        }
      };

      const judge = async (): Promise<void> => {
        await turn();
        for (const { body, expected, counted } of all)
          expect([body?.kind ?? null, body?.kind === 'whole' ? body.bytes.length : counted]).toEqual([
            expected,
            counted,
          ]);
      };

      for (const each of steps) {
        await act(each);
        await judge();
      }
      for (const { expected } of all) if (expected !== null) seen[expected] += 1;
      for (const sent of all) {
        if (sent.expected === null) await act({ kind: 'reset', which: 0 });
        if (!sent.isReleased) await release(sent, true);
      }
      // All of the room is free again, and not a byte more.
      for (let taken = 0; taken < ROOM; taken += 5) {
        await act({ kind: 'begin', announces: null });
        await act({ kind: 'part', which: 0, bytes: 5 });
        await judge();
        await act({ kind: 'end', which: 0 });
        await judge();
      }
      await act({ kind: 'begin', announces: null });
      await act({ kind: 'part', which: 0, bytes: 1 });
      await judge();
      expect(all.at(-1)?.expected).toBe('noRoom');
    }),
    { numRuns: 100 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});
