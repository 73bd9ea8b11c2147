import { rename } from 'node:fs/promises';
import type { Inbox } from './place.ts';

/**
 * Lets many work inside at once, or one who has closed it. Nobody works in an inbox while it is being taken away, and an agent that is
 * being replaced gets no commands.
 */
export class Gate {
  #inside = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  get isClosed(): boolean {
    return this.#closed;
  }

  async inside<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#change();
    this.#inside += 1;
    return work().finally(() => {
      this.#inside -= 1;
      this.#tell();
    });
  }

  /** Lets nobody else in; `work` begins when the last one has left. */
  async closed<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#change();
    this.#closed = true;
    while (this.#inside > 0) await this.#change();
    return work().finally(() => {
      this.#closed = false;
      this.#tell();
    });
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #tell(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}

/** An inbox shared by scanners, by an office that tidies up, and by a share that goes away. */
export class OpenInbox {
  readonly inbox: Inbox;
  readonly gate = new Gate();
  /** Files that have been or will be accepted, by absolute path. */
  readonly lying = new Map<string, { readonly sha256: string; readonly at: number }>();

  constructor(inbox: Inbox) {
    this.inbox = inbox;
  }

  lies(path: string, sha256: string): void {
    this.lying.set(path, { sha256, at: Date.now() });
  }

  /** Moves the whole folder elsewhere while `meanwhile` runs. */
  takeAway(meanwhile: () => Promise<void>): Promise<void> {
    const { dir } = this.inbox;
    return this.gate.closed(async () => {
      await rename(dir, `${dir}-away`);
      try {
        await meanwhile();
      } finally {
        await rename(`${dir}-away`, dir);
      }
    });
  }
}
