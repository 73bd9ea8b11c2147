/** Runs the steps of an installation in order; a dry run only describes them. */
export class InstallSteps {
  readonly said: string[] = [];
  readonly isDry: boolean;

  constructor(isDry: boolean) {
    this.isDry = isDry;
  }

  say(...notes: readonly string[]): void {
    this.said.push(...notes);
  }

  /** `would`: what a dry run says. */
  async take(would: string, work: () => Promise<readonly string[] | void>): Promise<void> {
    if (this.isDry) this.say(would);
    else this.say(...((await work()) ?? []));
  }
}
