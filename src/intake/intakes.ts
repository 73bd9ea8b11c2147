import type { Document } from '../core/domain/document.ts';
import type { Intake } from './intake.ts';

/**
 * The intakes of all watched folders, for the later stages. Created empty before those stages and filled after them, because
 * an intake needs the stages that it hands its documents to.
 */
export class Intakes {
  readonly #intakes: Intake[] = [];

  add(intake: Intake): void {
    this.#intakes.push(intake);
  }

  /** In the order of the configuration. */
  get all(): readonly Intake[] {
    return this.#intakes;
  }

  of(folder: string): Intake | undefined {
    return this.#intakes.find(({ status }) => status.path === folder);
  }

  /** A document was accepted, or turned out to be a duplicate: its file may be disposed of, if so configured. */
  disposeSoon({ folder }: Pick<Document, 'folder'>): void {
    this.of(folder)?.disposeSoon();
  }

  /** See `DeliverDeps.lookedThrough`. */
  lookedThrough(folder: string, since: number): boolean {
    // Asks every intake, without stopping at the first that has to list, so that they all list at the same time.
    const waits = this.#intakes.filter(
      (each) => !each.isLookedThroughSince(since, each.status.path === folder),
    );
    return waits.length === 0;
  }
}
