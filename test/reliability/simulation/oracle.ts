import type { DocumentState } from '../../../src/core/domain/document.ts';
import type { DeferredImage } from '../../../src/core/ports/deferredJournal.ts';
import type { JournalEntry } from '../../../src/core/ports/journal.ts';
import type { LedgerEvent } from '../../../src/ledger/events.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import { judgeArrival, judgeEnd, judgeMove } from './deliveryOracle.ts';
import { judgeDisposal } from './disposalOracle.ts';
import type { Evidence } from './evidence.ts';
import { mayBeKept, settingsOf } from './fates.ts';
import { LedgerView, type KnownDocument } from './ledgerView.ts';
import type { Lives } from './limitsOracle.ts';
import type { Disposals } from './modelFolder.ts';
import { TOKEN, type Arrival, type ModelService } from './modelService.ts';
import { Obligations } from './obligations.ts';
import type { Office } from './office.ts';
import { hasRoom, owedBy } from './owed.ts';
import { judgeNewPage, judgeSent, judgeSighting, judgeSplit } from './pagesOracle.ts';
import type { Plan } from './plan.ts';
import type { Inode, Share } from './share.ts';
import type { StateDirectory, Witness } from './stateDirectory.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';

/**
 * Checks the promises against everything that becomes durable or leaves the process, whenever one could be broken. `owed` lists open
 * obligations and must become empty once all trouble is over.
 */
export class Oracle implements Disposals, Witness, Evidence {
  readonly view = new LedgerView();
  readonly obligations = new Obligations(this.view);
  readonly plan: Plan;
  readonly story: Story;
  readonly timeline: Timeline;
  readonly shares: readonly Share[];
  /** Set after construction, because they refer to each other. */
  office!: Office;
  service!: ModelService;
  state!: StateDirectory;
  /** Hashes that ever had a copy in the spool, except copies dropped when nothing needed them. */
  readonly #copied = new Set<string>();
  readonly #endedAt = new Map<number, number>();
  /**
   * What the agent could have kept across its deaths. A power failure loses the tables, and trouble with the disk or the ledger prevents
   * writing them.
   */
  readonly lives: Lives & { ledgerSince: number };
  #disposed = 0;

  constructor(plan: Plan, story: Story, timeline: Timeline, shares: readonly Share[]) {
    this.plan = plan;
    this.story = story;
    this.timeline = timeline;
    this.shares = shares;
    const isSure = plan.diskTrouble.length + plan.ledgerAway.length === 0;
    // The answer, its consequences and the hold are separate steps.
    const recordedMs = 1_000 + 5 * plan.pace.slowMs;
    this.lives = { endedAt: this.#endedAt, ledgerSince: isSure ? 0 : Infinity, recordedMs };
  }

  lifeEnded(life: number): void {
    this.#endedAt.set(life, this.timeline.now);
  }

  ledgerLost(): void {
    this.lives.ledgerSince = Math.max(this.lives.ledgerSince, this.timeline.now);
  }

  /** Called when an entry of the journal becomes durable. */
  entry(entry: JournalEntry): void {
    if (JSON.stringify(entry).includes(TOKEN))
      this.story.breach('P7', `a token is in the journal (${entry.kind})`);
    if (entry.kind === 'began') {
      const { name, state } = this.view.documents.get(Number(entry.facts['document'])) ?? {};
      if (state === 'accepted') this.story.breach('P2', `${name} is sent again after its acceptance`);
    }
    const open = new Map(this.view.open);
    const event = this.view.read(entry);
    if (event.kind === 'sighted' && event.pages !== undefined && !event.into)
      judgeSplit(this, event, open.get(event.sighting)?.uid);
    if (event.kind === 'sighted') judgeSighting(this, event, open);
    if (event.kind === 'named') this.#named(event);
    if (event.kind === 'moved') {
      for (const id of event.documents) {
        const document = this.view.documents.get(id);
        if (!document) this.story.breach('P2', `document ${id} changed its state, but was never named`);
        else judgeMove(this, document, this.#copied);
      }
    }
    this.story.tell('journal', wordsOf(event, this.view));
  }

  #named(named: LedgerEvent & { kind: 'named' }): void {
    const { document: id, endpoint, name, sha256, folder, path } = named;
    const { uid } = endpoint;
    this.#mustHaveRested(name, sha256, folder);
    judgeSent(this, folder, path, sha256);
    judgeNewPage(this, id, uid, name, sha256);
    for (const other of this.view.documents.values()) {
      if (other.id === id || other.uid !== uid) continue;
      if (other.name === name) this.story.breach('P2', `the name ${name} was given to two images`);
      if (other.sha256 === sha256) this.story.breach('P2', `one image was named ${other.name} and ${name}`);
    }
  }

  /** Checks that the file was at rest: one written a moment ago may be incomplete. */
  #mustHaveRested(name: string, sha256: string, folder: string): void {
    const { settle } = settingsOf(this, folder);
    const seen = [sha256, ...this.office.files.pagesBehind(sha256).map(({ file }) => file)];
    const rested = Math.max(...this.shares.flatMap((share) => seen.map((each) => share.restedMs(each))));
    if (rested < settle.shortMs)
      this.story.breach(
        'P1',
        `${name} was named with bytes that had been unchanged for only ${rested.toFixed(0)} ms`,
      );
  }

  /** The agent has confirmed a result, which must be durable by now and recorded with its document. */
  resultTaken({ uid, name }: Arrival): void {
    const document = [...this.view.documents.values()].find((each) => each.uid === uid && each.name === name);
    if (!document?.hasResult)
      this.story.breach('P1', `a result for ${name} was confirmed, but is not in the journal`);
  }

  /** Called after a file was written in one go. */
  scanned(share: Share, path: string): void {
    const file = share.content.get(path)!;
    const sha256 = hashOf(file.bytes);
    const { uid } = settingsOf(this, share.path).endpoint;
    const document = this.view.documentOf(uid, sha256);
    const isNewPlace = !this.view.placesOf.get(sha256)?.has(`${share.path}/${path}`);
    const isSent = !mayBeKept(this, share.path, file.bytes);
    if (document?.state === 'failed' && isNewPlace && isSent)
      this.obligations.scannedAgain({ uid, sha256, share, path, file }, document);
  }

  copied(sha256: string): void {
    this.#copied.add(sha256);
  }

  deferred(image: DeferredImage): void {
    if (!image.isFile) judgeSent(this, image.folder, image.path, image.sha256);
    this.obligations.deferred(image);
  }

  tickedOff(image: DeferredImage): void {
    if (!this.obligations.isAdmitted(image))
      this.story.breach('P1', `${image.path} counts as admitted, but is not in the journal`);
  }

  /** Called when the agent decides to remove a copy, which nothing may need at this moment. */
  letsGo(sha256: string): void {
    for (const { name } of this.#waitingFor(sha256))
      this.story.breach('P1', `the copy of ${name} is given up, but the image is still waiting to be sent`);
    if (this.#isOpen(sha256))
      this.story.breach('P1', 'the copy of a file is given up while the file is being split');
  }

  /** Called when a copy is removed. Images with the same bytes that are admitted later have no copy yet. */
  dropped(sha256: string): void {
    for (const { path } of this.obligations.needing(sha256))
      this.story.breach(
        'P1',
        `the copy of ${path} was removed, but the image was deferred and is not in the ledger yet`,
      );
    if (this.#waitingFor(sha256).length === 0) this.#copied.delete(sha256);
  }

  #isOpen(file: string): boolean {
    return [...this.view.open.values()].some(({ sha256 }) => sha256 === file);
  }

  #waitingFor(sha256: string): KnownDocument[] {
    return [...this.view.documents.values()].filter(
      (each) => each.sha256 === sha256 && (each.state === 'queued' || each.state === 'uploading'),
    );
  }

  arrival(arrival: Arrival): void {
    judgeArrival(this, arrival);
  }

  disposing(share: Share, path: string, file: Inode, how: 'archived' | 'deleted'): void {
    judgeDisposal(this, share, path, file, how);
    this.#disposed += 1;
  }

  /** Everything that is not yet as it should be once trouble is over; must become empty. */
  owed(): string[] {
    return owedBy(this, this.obligations);
  }

  hasRoom(bytes: Pick<Buffer, 'length'>): boolean {
    return hasRoom(this, bytes);
  }

  /** Checks that are only possible at the end. */
  finish(): void {
    judgeEnd(this);
  }

  counts(): Record<
    'storedTwice' | 'documents' | 'accepted' | 'failed' | 'unconfirmed' | 'lost' | 'disposed' | 'results',
    number
  > {
    const documents = [...this.view.documents.values()];
    const were = (state: DocumentState): number => documents.filter(({ states }) => states.has(state)).length;
    const stored = this.service.arrivals.filter((arrival) => arrival.stored);
    return {
      storedTwice: stored.length - new Set(stored.map(({ uid, name }) => `${uid} ${name}`)).size,
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

function wordsOf(event: LedgerEvent, view: LedgerView): string {
  switch (event.kind) {
    case 'named':
      return `named ${event.name} (${event.sha256.slice(0, 8)}) from ${event.folder}/${event.path}`;
    case 'sighted':
      return `sighted ${event.folder}/${event.path}: ${event.verdict}${event.reason ? ` (${event.reason})` : ''}`;
    case 'moved':
      return `${event.documents.map((id) => view.documents.get(id)?.name).join(', ')} moved to ${event.state}${'reason' in event && event.reason ? ` (${event.reason})` : ''}`;
    case 'began':
      return `began ${view.documents.get(event.document)?.name}`;
    case 'ended':
      return `ended ${view.documents.get(event.document)?.name}: ${event.outcome}`;
    default:
      return event.kind;
  }
}
