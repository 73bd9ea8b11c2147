import { loadImages } from '../support/images.ts';
import { playRound, type Round } from './round.ts';
import { Tally } from './tally.ts';

export interface Campaign {
  readonly real: boolean;
  readonly tally: Tally;
  readonly breached: readonly Round[];
}

/** Plays rounds `from` to `from + rounds - 1`, several at once because they mostly wait. */
export async function playCampaign(
  {
    from,
    rounds,
    atOnce,
    power = false,
  }: {
    readonly from: number;
    readonly rounds: number;
    readonly atOnce: number;
    readonly power?: boolean;
  },
  onRound: (round: Round) => void = () => {},
): Promise<Campaign> {
  const { real, images } = await loadImages();
  const tally = new Tally();
  const breached: Round[] = [];
  let next = from;
  const play = async (): Promise<void> => {
    while (next < from + rounds) {
      const seed = next;
      next += 1;
      const round = await playRound(seed, images, { power });
      tally.add(round);
      if (round.breaches.length > 0) breached.push(round);
      onRound(round);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, play));
  return { real, tally, breached };
}
