import { HOLD_BACKOFF } from '../../../src/core/domain/backoff.ts';
import { WORLD } from './timeline.ts';
import type { World } from './world.ts';

export const LOOK_EVERY_MS = 2_000;
const CANARIES_BYTES = 1_000;

/** Checks that damaged and locked files, and a closed endpoint, do not delay good images (promise P4). */
export function watchCanaries(world: World, onOver: () => void): void {
  const { config, closedForGood, pace } = world.plan;
  const { intake, delivery, folders } = config;
  const { seen } = world.gatherer.oracle;
  const hasRoom = seen.hasRoom(CANARIES_BYTES);
  if (world.service.habits.poison.size > 0 || hasBudget(world) || !hasRoom) {
    onOver();
    return;
  }
  for (const { path, endpoint } of folders) {
    const share = world.shares.get(path)!;
    world.office.makeTrouble(share);
    if (endpoint.uid === closedForGood) world.office.putCanary(share);
  }
  const { intervalMs = 0, count = 1 } = delivery.rate ?? {};
  const rateMs = intervalMs * Math.ceil(folders.length / count);
  // After a limit became known, the agent approaches it step by step again.
  const isCautious = world.plan.phases.some(({ fault }) => fault === 'tooMany' || fault === 'quota');
  const boundMs =
    intake.reconcileEvery +
    rateMs +
    20_000 +
    pace.slowShare * pace.slowMs * 200 +
    (isCautious ? 5 * 60_000 : 0);
  const healthy = folders.filter(({ endpoint }) => endpoint.uid !== closedForGood);
  const put = (): void => {
    const canaries = healthy.map(({ path, endpoint: { uid } }) => ({
      uid,
      ...world.office.putCanary(world.shares.get(path)!),
    }));
    const until = world.timeline.now + boundMs;
    const look = (): void => {
      const stateOf = (uid: string, sha256: string): string =>
        seen.books.documentOf(uid, sha256)?.state ?? 'not named yet';
      const waiting = canaries.filter(({ uid, sha256 }) => stateOf(uid, sha256) !== 'accepted');
      if (waiting.length > 0 && world.timeline.now < until) {
        world.timeline.after(LOOK_EVERY_MS, WORLD, look);
        return;
      }
      onOver();
      for (const { uid, sha256, label } of canaries)
        world.gatherer.take({ kind: 'due', uid, sha256, what: `after ${boundMs} ms, ${label}` });
    };
    look();
  };
  // Waits until the other trouble is known, and until a hold whose probe was settled by a result has ended.
  const knownMs = closedForGood === null ? 0 : boundMs;
  const heldMs = world.results.hasProved
    ? Math.min(HOLD_BACKOFF.maxMs, world.state.heldUntil() - world.timeline.wall)
    : 0;
  world.timeline.after(Math.max(knownMs, heldMs), WORLD, put);
}

/** A canary may have to wait until the next day or month. */
function hasBudget({ plan: { config } }: World): boolean {
  const all = [config.delivery, ...config.endpoints.map(({ limits }) => limits)];
  return all.some(({ perDay, perMonth }) => perDay !== null || perMonth !== null);
}
