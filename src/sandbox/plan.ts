/** The caller's plan (interface 1, 8). `quota`: total number of uploads; null for no limit. */
export interface Plan {
  readonly enabled: boolean;
  readonly quota: number | null;
}

/**
 * An upload reserves its place in the quota before its body is read, and gives it back unless it is accepted. Otherwise fifty
 * concurrent uploads could all pass a quota of one. Repeats count, because each starts an analysis.
 */
export class PlanMeter {
  plan: Plan;
  #taken: number;

  /** `used`: uploads accepted by earlier runs. */
  constructor(plan: Plan, used: number) {
    this.plan = plan;
    this.#taken = used;
  }

  /** Reserves a place. False if the quota is used up. */
  take(): boolean {
    if (this.plan.quota !== null && this.#taken >= this.plan.quota) return false;
    this.#taken += 1;
    return true;
  }

  giveBack(): void {
    this.#taken -= 1;
  }
}
