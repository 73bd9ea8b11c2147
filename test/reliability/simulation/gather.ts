import type { DeferredImage } from '../../../src/core/ports/deferredJournal.ts';
import type { JournalEntry } from '../../../src/core/ports/journal.ts';
import type { Content, Event, Settings, Status } from '../../oracle/evidence.ts';
import { Oracle } from '../../oracle/oracle.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import { paperOf, looksOf } from './looks.ts';
import { placeOf, type Disposals } from './modelFolder.ts';
import { TOKEN, type Arrival } from './modelService.ts';
import type { Plan } from './plan.ts';
import type { Inode, Share } from './share.ts';
import type { Witness } from './stateDirectory.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';

/** Tells the oracle everything that becomes durable or leaves the process, at the moment when it happens. */
export class Gatherer implements Disposals, Witness {
  readonly oracle: Oracle;
  readonly #story: Story;
  readonly #timeline: Timeline;
  #disposed = 0;
  /** What the running agent says of itself; null while none runs. */
  statusOf: (() => Status) | null = null;

  constructor(plan: Plan, story: Story, timeline: Timeline, shares: readonly Share[]) {
    this.#story = story;
    this.#timeline = timeline;
    this.oracle = new Oracle((breach) => story.breach(breach));
    this.take({ kind: 'settings', settings: settingsOf(plan) });
    timeline.onClockSet = () => this.take({ kind: 'clock', at: timeline.now, wall: timeline.wall });
    timeline.onClockSet();
    this.take({ kind: 'secret', secret: TOKEN });
    for (const share of shares) share.onChange = (path) => this.#changed(share, path);
  }

  take(event: Event): void {
    this.oracle.take(event);
  }

  /** Asks the running agent for its status. */
  status(): void {
    const status = this.statusOf?.();
    if (status) this.take({ kind: 'status', at: this.#timeline.now, status });
  }

  /** From now on, the machine may sleep. */
  sleeps(): void {
    const { settings } = this.oracle.seen;
    if (settings.clock === 'steady')
      this.take({ kind: 'settings', settings: { ...settings, clock: 'sleeps' } });
  }

  content(bytes: Buffer, content: Omit<Content, 'sha256' | 'paper' | 'look' | 'size'>): void {
    const known = { sha256: hashOf(bytes), size: bytes.length, paper: paperOf(bytes), look: looksOf(bytes) };
    this.take({ kind: 'content', at: this.#timeline.now, content: { ...known, ...content } });
  }

  #changed(share: Share, path: string): void {
    const { bytes } = share.content.get(path) ?? {};
    const sha256 = bytes ? hashOf(bytes) : null;
    this.take({
      kind: 'file',
      at: this.#timeline.now,
      folder: share.path,
      path,
      sha256,
      ...(bytes && { size: bytes.length, isUntellable: share.isAlike(hashOf(bytes)) }),
    });
  }

  scanned(share: Share, path: string): void {
    const file = share.content.get(path);
    if (file) this.take({ kind: 'scanned', folder: share.path, path, sha256: hashOf(file.bytes) });
  }

  entry(entry: JournalEntry): void {
    this.take({ kind: 'entry', at: this.#timeline.now, entry });
    this.#story.tell('journal', `${entry.kind} ${JSON.stringify({ ...entry.facts, ...entry.personal })}`);
  }

  copied(sha256: string, size: number): void {
    this.take({ kind: 'copied', sha256, size });
  }

  letsGo(sha256: string): void {
    this.take({ kind: 'givesUp', sha256 });
  }

  dropped(sha256: string): void {
    this.take({ kind: 'dropped', sha256 });
  }

  deferred(image: DeferredImage): void {
    this.take({ kind: 'deferred', image: { ...image, uid: image.endpoint.uid } });
  }

  tickedOff(image: DeferredImage): void {
    this.take({ kind: 'tickedOff', image: { ...image, uid: image.endpoint.uid } });
  }

  arrival({ id, uid, name, sha256, askedAt, at, life }: Arrival): void {
    this.take({ kind: 'request', request: { id, uid, name, sha256, askedAt, at, life } });
  }

  disposing(share: Share, path: string, file: Inode, how: 'archived' | 'deleted'): void {
    const original = placeOf(path);
    this.#story.tell('agent', `${share.path}/${original} is ${how}`);
    this.take({ kind: 'disposal', folder: share.path, path: original, sha256: hashOf(file.bytes), how });
    this.#disposed += 1;
  }

  counts(): Record<
    'storedTwice' | 'documents' | 'accepted' | 'failed' | 'unconfirmed' | 'lost' | 'disposed' | 'results',
    number
  > {
    const documents = [...this.oracle.seen.books.documents.values()];
    const were = (state: string): number => documents.filter(({ states }) => states.has(state)).length;
    return {
      storedTwice: this.oracle.seen.stored().reduce((sum, { tries }) => sum + tries - 1, 0),
      documents: documents.length,
      accepted: were('accepted'),
      failed: were('failed'),
      unconfirmed: were('unconfirmed'),
      lost: were('lost'),
      disposed: this.#disposed,
      results: documents.filter(({ hasResult }) => hasResult).length,
    };
  }
}

function settingsOf({ config, clockJumps, sleeps, diskTrouble, ledgerAway, pace }: Plan): Settings {
  return {
    folders: config.folders.map(({ path, endpoint: { uid }, afterUpload, settle, qualityCheck }) => ({
      path,
      uid,
      afterUpload,
      archive: null,
      qualityCheck,
      shortMs: settle.shortMs,
      longMs: settle.longMs,
    })),
    overall: config.delivery,
    endpoints: Object.fromEntries(config.endpoints.map(({ key, limits }) => [key.uid, limits])),
    spoolLimit: config.spool === 'never' ? null : config.spoolLimit,
    tellsStored: true,
    clock: clockJumps.length > 0 ? 'set' : sleeps.length > 0 ? 'sleeps' : 'steady',
    // The answer, its consequences and the hold are separate steps. Trouble with disk or ledger prevents writing them.
    recordedMs: diskTrouble.length + ledgerAway.length === 0 ? 1_000 + 5 * pace.slowMs : null,
  };
}
