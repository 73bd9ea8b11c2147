import { rename } from 'node:fs/promises';
import { Gate } from './gate.ts';
import type { Inbox } from './place.ts';

/** A file in an inbox that has been or will be accepted. */
export interface Lying {
  /** Absolute path. */
  readonly path: string;
  readonly sha256: string;
  readonly at: number;
}

/** An inbox shared by scanners, by an office that tidies up, and by a share that goes away. */
export class OpenInbox {
  readonly inbox: Inbox;
  readonly gate = new Gate();
  /** Files by path. */
  readonly lying = new Map<string, Lying>();

  constructor(inbox: Inbox) {
    this.inbox = inbox;
  }

  lies(path: string, sha256: string): void {
    this.lying.set(path, { path, sha256, at: Date.now() });
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
