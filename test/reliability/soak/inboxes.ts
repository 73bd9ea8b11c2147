import { rename } from 'node:fs/promises';
import { Gate } from './gate.ts';
import type { Inbox } from './place.ts';

/** A file that lies in an inbox and has been accepted, or will be. */
export interface Lying {
  /** Absolute. */
  readonly path: string;
  readonly sha256: string;
  readonly at: number;
}

/** An inbox with those who work in it: scanners, an office that tidies up, and a share that goes away. */
export class OpenInbox {
  readonly inbox: Inbox;
  readonly gate = new Gate();
  /** By path. */
  readonly lying = new Map<string, Lying>();

  constructor(inbox: Inbox) {
    this.inbox = inbox;
  }

  lies(path: string, sha256: string): void {
    this.lying.set(path, { path, sha256, at: Date.now() });
  }

  /** The whole folder is elsewhere for as long as `meanwhile` takes. */
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
