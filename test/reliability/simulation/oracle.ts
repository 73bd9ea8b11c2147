import type { LedgerEvent } from '../../../src/ledger/events.ts';
import type { DocumentState } from '../../../src/core/domain/document.ts';
import { pageOf, pagePath } from '../../../src/core/domain/pages.ts';
import type { FolderSettings } from '../../../src/core/domain/settings.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import { complaintsAbout, type Lives } from './limitsOracle.ts';
import { fateOf, isHeld, paperOf } from './looks.ts';
import { LedgerView, type KnownDocument } from './ledgerView.ts';
import { isAside, placeOf, type Disposals } from './modelFolder.ts';
import { DONE } from './modelResults.ts';
import { TOKEN, type Arrival, type ModelService } from './modelService.ts';
import type { Office } from './office.ts';
import type { Plan } from './plan.ts';
import type { Page } from './paged.ts';
import type { Inode, Share } from './share.ts';
import { Obligations } from './obligations.ts';
import type { DeferredImage } from '../../../src/core/ports/deferredJournal.ts';
import type { StateDirectory, Witness } from './stateDirectory.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';
import type { JournalEntry } from '../../../src/core/ports/journal.ts';
import { VERDICTS } from '../support/oracle.ts';

/** Upper limit of the spool space that an image of a page takes. */
const PAGE_ROOM = 300;
/** Milliseconds after which the agent must have seen a file: it looks twice, 15 s apart. */
const OVERLOOKED_MS = 25_000;

/**
 * Checks the promises against everything that becomes durable or leaves the process, whenever one could be broken. `owed` lists open
 * obligations and must become empty once all trouble is over.
 */
export class Oracle implements Disposals, Witness {
  readonly view = new LedgerView();
  readonly obligations = new Obligations(this.view);
  readonly #plan: Plan;
  readonly #story: Story;
  readonly #timeline: Timeline;
  readonly #shares: readonly Share[];
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
    this.#plan = plan;
    this.#story = story;
    this.#timeline = timeline;
    this.#shares = shares;
    const isSure = plan.diskTrouble.length + plan.ledgerAway.length === 0;
    // The answer, its consequences and the hold are separate steps.
    const recordedMs = 1_000 + 5 * plan.pace.slowMs;
    this.lives = { endedAt: this.#endedAt, ledgerSince: isSure ? 0 : Infinity, recordedMs };
  }

  lifeEnded(life: number): void {
    this.#endedAt.set(life, this.#timeline.now);
  }

  ledgerLost(): void {
    this.lives.ledgerSince = Math.max(this.lives.ledgerSince, this.#timeline.now);
  }

  /** Called when an entry of the journal becomes durable. */
  entry(entry: JournalEntry): void {
    if (JSON.stringify(entry).includes(TOKEN))
      this.#story.breach('P7', `a token is in the journal (${entry.kind})`);
    if (entry.kind === 'began') {
      const { name, state } = this.view.documents.get(Number(entry.facts['document'])) ?? {};
      if (state === 'accepted') this.#story.breach('P2', `${name} is sent again after its acceptance`);
    }
    const open = new Map(this.view.open);
    const event = this.view.read(entry);
    if (event.kind === 'sighted' && event.pages !== undefined && !event.into)
      this.#ended(event, open.get(event.sighting)?.uid);
    if (event.kind === 'sighted') this.#sighted(event, open);
    if (event.kind === 'named') this.#named(event);
    if (event.kind === 'moved') {
      for (const id of event.documents) {
        const document = this.view.documents.get(id);
        if (!document) this.#story.breach('P2', `document ${id} moved and was never named`);
        else this.#moved(document);
      }
    }
    this.#story.tell('journal', wordsOf(event, this.view));
  }

  #named(named: LedgerEvent & { kind: 'named' }): void {
    const { document: id, endpoint, name, sha256, folder, path } = named;
    const { uid } = endpoint;
    this.#mustHaveRested(name, sha256, folder);
    this.#mustBeSent(folder, path, sha256);
    this.#mustBeNewPage(id, uid, name, sha256);
    for (const other of this.view.documents.values()) {
      if (other.id === id || other.uid !== uid) continue;
      if (other.name === name) this.#story.breach('P2', `the name ${name} was given to two images`);
      if (other.sha256 === sha256) this.#story.breach('P2', `one image was named ${other.name} and ${name}`);
    }
  }

  /** A page has one name, however often it is drawn and however it looks, unless the image under that name can't be sent. */
  #mustBeNewPage(id: number, uid: string, name: string, sha256: string): void {
    for (const { file, page } of this.office.files.pagesBehind(sha256))
      for (const other of this.#pageDocuments(uid, file, page))
        if (other.id !== id && other.state !== 'failed' && other.state !== 'lost')
          this.#story.breach('P2', `page ${page} of a file was named ${other.name} and ${name}`);
  }

  #pageDocuments(uid: string, file: string, page: number): KnownDocument[] {
    return this.office.files.imagesOf(file, page).flatMap((image) => this.view.documentOf(uid, image) ?? []);
  }

  /** Pages to be sent that have no document at the endpoint. */
  #pagesWithout(
    uid: string,
    file: string,
    isToBeSent: (page: Page, pages: number) => boolean,
    states?: readonly DocumentState[],
  ): number[] {
    const pages = this.office.files.pagesOf(file) ?? [];
    return pages.flatMap((page, at) => {
      if (!isToBeSent(page, pages.length)) return [];
      const documents = this.#pageDocuments(uid, file, at + 1);
      return documents.some(({ state }) => states?.includes(state) ?? true) ? [] : [at + 1];
    });
  }

  /** Judges a file recorded as completely split. */
  #ended(event: LedgerEvent & { kind: 'sighted' }, uid: string | undefined): void {
    const { verdict, sha256, folder, path } = event;
    if (sha256 === null || uid === undefined) return;
    const { pages, fate } = this.#fatesOf(folder, sha256);
    const has = (...fates: Fate[]): boolean => pages.some((page) => fates.includes(fate(page)));
    const isUnsent = (which: Fate): boolean =>
      this.#pagesWithout(uid, sha256, (page) => fate(page) === which).length > 0;
    const isOnlyBlank = !has('sent', 'held', 'damaged');
    // A page that this folder does not send may have a document by way of another folder.
    const mustReject = has('damaged') || isUnsent('held');
    const mayReject = mustReject || has('held') || isOnlyBlank;
    if (verdict === 'rejected' ? !mayReject : mustReject)
      this.#story.breach('P1', `${path} was taken apart and is noted as ${verdict}`);
    const without = this.#pagesWithout(uid, sha256, (page) => fate(page) === 'sent');
    if (without.length > 0)
      this.#story.breach('P1', `${path} ended without a name for pages ${without.join(', ')}`);
  }

  /** The expected fate of each page of a file. */
  #fatesOf(folder: string, file: string): { pages: readonly Page[]; fate: (page: Page) => Fate } {
    const pages = this.office.files.pagesOf(file) ?? [];
    const settings = this.#settingsOf(folder);
    const fate = ({ kind, text }: Page): Fate =>
      kind === 'damaged' ? 'damaged' : fateOf(settings, text, pages.length);
    return { pages, fate };
  }

  #settingsOf(folder: string): FolderSettings {
    return this.#plan.config.folders.find(({ path }) => path === folder)!;
  }

  /** Checks that no image is sent that its folder holds back. */
  #mustBeSent(folder: string, path: string, sha256: string): void {
    const page = pageOf(path);
    const image = this.office.whole.get(sha256)?.bytes;
    const isKept =
      page === null
        ? image !== undefined && isHeld(this.#settingsOf(folder), image)
        : this.office.files.pagesBehind(sha256).every(({ file, page: number }) => {
            const { pages, fate } = this.#fatesOf(folder, file);
            return fate(pages[number - 1]!) !== 'sent';
          });
    if (isKept) this.#story.breach('P1', `${folder}/${path} is to be sent, and was to be kept back`);
  }

  /** Whether the folder may hold this image back: it is unreadable, or another image of the same paper was sent. */
  #mayBeKept(folder: string, image: Buffer): boolean {
    const settings = this.#settingsOf(folder);
    const [paper, hash] = [paperOf(image), hashOf(image)];
    // The twin may also be a part of this image that was renamed while it was written, and taken for complete.
    const isTwin =
      this.office.scannedTwice.has(paper) ||
      this.service.arrivals.some((arrival) => arrival.paper === paper && arrival.sha256 !== hash);
    return isHeld(settings, image) || (settings.look === 'hold' && isTwin);
  }

  #isKept(folder: string, path: string, image: Buffer): boolean {
    const { verdict, reason } = this.view.sightingAt(folder, path) ?? {};
    return verdict === 'rejected' && LOOKS_ODD.has(reason ?? '') && this.#mayBeKept(folder, image);
  }

  /** Checks that nothing is held back or left out that looks fine. */
  #sighted(event: LedgerEvent & { kind: 'sighted' }, open: LedgerView['open']): void {
    const { folder, path, verdict, reason, message, file } = event;
    const told = /looks like (.*), scanned/.exec(message ?? '')?.[1];
    if (told !== undefined && ![...this.view.documents.values()].some(({ name }) => name === told))
      this.#story.breach('P1', `${folder}/${path} is said to be ${told}, which there is not`);
    if (verdict !== 'rejected' || !LOOKS_ODD.has(reason ?? '')) return;
    const page = pageOf(path);
    const bytes = file === undefined ? undefined : open.get(file)?.sha256;
    const { look } = this.#settingsOf(folder);
    const { pages, fate } = this.#fatesOf(folder, bytes ?? '');
    const isRight =
      page === null
        ? look === 'hold' || (look === 'warn' && event.pages !== undefined)
        : bytes === undefined || ['held', 'leftOut'].includes(fate(pages[page.page - 1]!));
    if (!isRight) this.#story.breach('P1', `${folder}/${path} is not sent (${reason}), and looks well`);
  }

  /** Checks that the file was at rest: one written a moment ago may be incomplete. */
  #mustHaveRested(name: string, sha256: string, folder: string): void {
    const { settle } = this.#plan.config.folders.find(({ path }) => path === folder)!;
    const seen = [sha256, ...this.office.files.pagesBehind(sha256).map(({ file }) => file)];
    const rested = Math.max(...this.#shares.flatMap((share) => seen.map((each) => share.restedMs(each))));
    if (rested < settle.shortMs)
      this.#story.breach(
        'P1',
        `${name} was named with bytes that had lain still for ${rested.toFixed(0)} ms`,
      );
  }

  #moved(document: KnownDocument): void {
    const { uid, name, sha256, state } = document;
    const arrivals = this.service.arrivals.filter((each) => each.uid === uid && each.name === name);
    const told = arrivals
      .filter(({ answered }) => answered !== null)
      .toSorted((a, b) => a.answeredAt - b.answeredAt);
    const last = told.at(-1)?.answered;
    const httpStatus = last?.kind === 'response' ? last.httpStatus : null;
    switch (state) {
      case 'accepted':
        if (!arrivals.some((each) => each.stored && each.sha256 === sha256))
          this.#story.breach('P1', `${name} counts as accepted, and the service does not have it`);
        if (
          !document.hasResult &&
          !told.some(
            ({ answered, stored }) => stored && answered?.kind === 'response' && answered.httpStatus === 200,
          )
        )
          this.#story.breach('P1', `${name} counts as accepted, and the service never said so`);
        break;
      case 'failed':
        if (httpStatus === null || !VERDICTS.has(httpStatus))
          this.#story.breach(
            'P5',
            `${name} failed without a verdict of the service (${httpStatus ?? 'no answer'})`,
          );
        if (arrivals.some(({ stored }) => stored))
          this.#story.breach('P5', `${name} counts as failed, and the service has it`);
        break;
      case 'unconfirmed':
        if (httpStatus === null || httpStatus < 400 || httpStatus >= 500)
          this.#story.breach('P5', `${name} is unconfirmed without a refusal (${httpStatus ?? 'no answer'})`);
        break;
      case 'lost':
        this.#lost(document);
        break;
      case 'queued':
      case 'uploading':
        break;
    }
  }

  /** The agent has confirmed a result, which must be durable by now and recorded with its document. */
  resultTaken({ uid, name }: Arrival): void {
    const document = [...this.view.documents.values()].find((each) => each.uid === uid && each.name === name);
    if (!document?.hasResult)
      this.#story.breach('P1', `a result of ${name} was taken, and is not in the journal`);
  }

  /** Called after a file was written in one go. */
  scanned(share: Share, path: string): void {
    const file = share.content.get(path)!;
    const sha256 = hashOf(file.bytes);
    const { uid } = this.#plan.config.folders.find((each) => each.path === share.path)!.endpoint;
    const document = this.view.documentOf(uid, sha256);
    const isNewPlace = !this.view.placesOf.get(sha256)?.has(`${share.path}/${path}`);
    const isSent = !this.#mayBeKept(share.path, file.bytes);
    if (document?.state === 'failed' && isNewPlace && isSent)
      this.obligations.scannedAgain({ uid, sha256, share, path, file }, document);
  }

  copied(sha256: string): void {
    this.#copied.add(sha256);
  }

  deferred(image: DeferredImage): void {
    if (!image.isFile) this.#mustBeSent(image.folder, image.path, image.sha256);
    this.obligations.deferred(image);
  }

  tickedOff(image: DeferredImage): void {
    if (!this.obligations.isAdmitted(image))
      this.#story.breach('P1', `${image.path} counts as admitted, and is not in the journal`);
  }

  /** Called when the agent decides to remove a copy, which nothing may need at this moment. */
  letsGo(sha256: string): void {
    for (const { name } of this.#waitingFor(sha256))
      this.#story.breach('P1', `the copy of ${name}, which waits to be sent, is let go`);
    if (this.#isOpen(sha256)) this.#story.breach('P1', 'the copy of a file that is taken apart is let go');
  }

  /** Called when a copy is removed. Images with the same bytes that are admitted later have no copy yet. */
  dropped(sha256: string): void {
    for (const { path } of this.obligations.needing(sha256))
      this.#story.breach('P1', `the copy of ${path}, which was deferred, was dropped`);
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

  #lost({ name, sha256 }: KnownDocument): void {
    if (this.state.copies.has(sha256))
      this.#story.breach('P1', `${name} counts as lost, and its copy is in the spool`);
    else if (this.#copied.has(sha256))
      this.#story.breach('P1', `${name} is lost although it had a copy in the spool`);
    for (const share of this.#shares) {
      for (const [path, file] of share.content) {
        const lies = this.#timeline.now - file.since;
        const isKnownPlace = this.view.placesOf.get(sha256)?.has(`${share.path}/${path}`);
        if (isKnownPlace && lies > OVERLOOKED_MS && hashOf(file.bytes) === sha256)
          this.#story.breach('P1', `${name} counts as lost, and lies at ${share.path}/${path}`);
      }
    }
  }

  /** Checks an upload request that has arrived at the service. */
  arrival(arrival: Arrival): void {
    const { uid, name, sha256 } = arrival;
    const document = [...this.view.documents.values()].find((each) => each.uid === uid && each.name === name);
    if (!document) {
      this.#story.breach('P2', `${name} was sent before its name was durable`);
      return;
    }
    if (document.sha256 !== sha256)
      this.#story.breach('P2', `${name} was sent with the bytes of another image`);
    if (document.state === 'accepted')
      this.#story.breach('P2', `${name} was sent again after its acceptance`);
    const { arrivals } = this.service;
    if (arrivals.some((each) => each.uid === uid && each.sha256 === sha256 && each.name !== name))
      this.#story.breach('P2', `one image was sent under two names, ${name} among them`);
    if (document.begun < arrivals.filter((each) => each.uid === uid && each.name === name).length)
      this.#story.breach('P6', `a request for ${name} was sent before it was recorded`);
    if (!this.office.wasWhole(sha256))
      this.#story.breach(
        'P1',
        `${name} was sent, and is no whole image: ${this.office.unfit.get(sha256) ?? 'torn'}`,
      );
    for (const complaint of complaintsAbout(arrival, arrivals, this.#plan, this.lives))
      this.#story.breach('P6', complaint);
  }

  disposing(share: Share, path: string, file: Inode, how: 'archived' | 'deleted'): void {
    const folder = this.#plan.config.folders.find((each) => each.path === share.path);
    const expected = how === 'archived' ? 'archive' : 'delete';
    const what = `${share.path}/${path} was ${how}`;
    if (folder?.afterUpload !== expected) this.#story.breach('P3', `${what}, which nobody had configured`);
    const uid = folder?.endpoint.uid ?? '';
    const sha256 = hashOf(file.bytes);
    const document = this.view.documentOf(uid, sha256);
    if (this.office.files.pagesOf(sha256)) this.#disposingPages(what, share.path, uid, sha256, how);
    else if (document?.state !== 'accepted')
      this.#story.breach(
        'P3',
        `${what}, and its bytes are not accepted (${document?.state ?? 'never seen'})`,
      );
    else if (this.view.isFromBefore(share.path, document))
      this.#story.breach('P3', `${what}, and was known before that was configured`);
    const intents = [...this.view.intents.values()];
    const original = placeOf(path);
    const isIntended = intents.some(
      (each) => each.folder === share.path && each.path === original && each.how === how,
    );
    if (!isIntended) this.#story.breach('P3', `${what} before that was in the journal`);
    this.#disposed += 1;
    this.#story.tell('agent', what);
  }

  #disposingPages(
    what: string,
    folder: string,
    uid: string,
    file: string,
    how: 'archived' | 'deleted',
  ): void {
    const { pages, fate } = this.#fatesOf(folder, file);
    const isDamaged = pages.some((page) => fate(page) === 'damaged');
    // A left-out page exists nowhere else.
    const has = how === 'deleted' ? ['sent', 'held', 'leftOut'] : ['sent', 'held'];
    const without = this.#pagesWithout(uid, file, (page) => has.includes(fate(page)), ['accepted']);
    if (without.length > 0)
      this.#story.breach('P3', `${what}, and its pages ${without.join(', ')} are not accepted`);
    if (isDamaged) this.#story.breach('P3', `${what}, and not all of it could be sent`);
    if (this.view.areBytesFromBefore(folder, file))
      this.#story.breach('P3', `${what}, and was known before that was configured`);
  }

  /** Open obligations for a multi-page file. */
  #owedPages(where: string, share: Share, path: string, file: string): string[] {
    const { endpoint, afterUpload } = this.#settingsOf(share.path);
    const sighting = this.view.sightingAt(share.path, path);
    if (sighting?.sha256 !== file) return [`${where} is not in the ledger as it is`];
    const { pages, fate } = this.#fatesOf(share.path, file);
    const without = this.#pagesWithout(endpoint.uid, file, (page) => fate(page) === 'sent', [
      'queued',
      'uploading',
      'accepted',
      'failed',
      'unconfirmed',
    ]);
    if (without.length > 0) return [`${where} has no document for its pages ${without.join(', ')}`];
    // A refused page gets another name if it is drawn differently, while the file whose page was refused stays for a person. So does a file
    // with a page that its folder held back, whatever another folder did with that page afterwards.
    const isKept = sighting.verdict === 'rejected' && pages.some((page) => fate(page) === 'held');
    const isSent =
      !isKept &&
      pages.some((page) => fate(page) === 'sent') &&
      pages.every((page, at) => {
        const documents = this.#pageDocuments(endpoint.uid, file, at + 1);
        const seen = this.view.lastVerdicts.get(`${share.path}/${pagePath(path, at + 1)}`);
        // Another folder may have made a document of it since.
        const isLeftOut = fate(page) === 'leftOut' && (documents.length === 0 || seen === 'rejected');
        const isThere = isLeftOut ? afterUpload === 'archive' : documents.length > 0;
        return fate(page) !== 'damaged' && isThere && documents.every(({ state }) => state === 'accepted');
      });
    return isSent && afterUpload !== 'keep' && !this.view.areBytesFromBefore(share.path, file)
      ? [`${where} should have been ${afterUpload}d`]
      : [];
  }

  /** Everything that is not yet as it should be once trouble is over; must become empty. */
  owed(): string[] {
    const owed = this.obligations.owed((bytes) => this.hasRoom(bytes));
    for (const share of this.#shares) {
      const { endpoint, afterUpload } = this.#plan.config.folders.find(({ path }) => path === share.path)!;
      for (const [path, { bytes }] of share.content) {
        const where = `${share.path}/${path}`;
        if (!this.hasRoom(bytes)) continue;
        const sha256 = hashOf(bytes);
        // Not promised (docs/reliability.md), because it can't be detected.
        if (share.isAlike(sha256)) continue;
        if (isAside(path)) owed.push(`${where} was left aside`);
        else if (this.office.files.pagesOf(sha256)) owed.push(...this.#owedPages(where, share, path, sha256));
        else if (this.#isKept(share.path, path, bytes)) continue;
        else if (this.office.wasWhole(sha256)) {
          const document = this.view.documentOf(endpoint.uid, sha256);
          if (!document)
            owed.push(`${where} (${this.office.whole.get(sha256)?.label ?? 'one page'}) has no name`);
          else if (document.state === 'lost') owed.push(`${where} counts as lost`);
          else if (
            document.state === 'accepted' &&
            afterUpload !== 'keep' &&
            !this.view.isFromBefore(share.path, document)
          )
            owed.push(`${where} should have been ${afterUpload}d`);
          else if (this.view.sightingAt(share.path, path)?.sha256 !== sha256)
            owed.push(`${where} is not in the ledger as it is`);
        } else {
          const { verdict = 'nothing' } = this.view.sightingAt(share.path, path) ?? {};
          const expected =
            this.office.unfit.get(sha256) === 'junk' ? ['rejected'] : ['incomplete', 'rejected'];
          if (!expected.includes(verdict) && !share.content.get(path)?.isLocked)
            owed.push(`${where} is ${this.office.unfit.get(sha256) ?? 'torn'}, and noted as ${verdict}`);
        }
      }
    }
    for (const { sha256 } of this.view.open.values())
      if (this.hasRoom({ length: PAGE_ROOM }))
        owed.push(`a file (${sha256.slice(0, 8)}) is not taken apart yet`);
    for (const document of this.view.documents.values()) {
      const { uid, name, state, reason, sha256 } = document;
      if (state !== 'queued' && state !== 'uploading') continue;
      if (uid === this.#plan.closedForGood || this.#isBudgetSpent) continue;
      if (this.service.habits.poison.has(sha256)) continue;
      owed.push(`${name} is ${state} (${reason ?? 'no reason'})`);
    }
    return owed;
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

  /** Checks that are only possible at the end. */
  finish(): void {
    for (const { uid, name, outcomes, state, status, hasResult } of this.view.documents.values()) {
      if (hasResult && (state === 'unconfirmed' || state === 'lost'))
        this.#story.breach('P1', `${name} is ${state}, though a result shows that the service has it`);
      if (hasResult && state === 'accepted' && status !== DONE)
        this.#story.breach('P1', `${name} has the status ${status}, though its result said ${DONE}`);
      const stored = this.service.arrivals.filter(
        (each) => each.uid === uid && each.name === name && each.stored,
      );
      const unknown = outcomes.filter((outcome) => outcome === 'unknown').length;
      if (stored.length - 1 > unknown)
        this.#story.breach(
          'P2',
          `${name} was stored ${stored.length} times, and ${unknown} answers count as lost`,
        );
    }
  }

  /** Images that wait for people keep their copies. A scan that does not fit next to them waits, and the agent says so. */
  hasRoom({ length }: Pick<Buffer, 'length'>): boolean {
    const { spool, spoolLimit } = this.#plan.config;
    const used = [...this.state.copies.values()].reduce((sum, copy) => sum + copy.length, 0);
    return spool === 'never' || used + length <= spoolLimit;
  }

  get #isBudgetSpent(): boolean {
    const { perDay } = this.#plan.config.delivery.limits;
    // Requests are recorded before they are sent, so those that a crash prevented count too.
    const begun = [...this.view.documents.values()].reduce((sum, document) => sum + document.begun, 0);
    return perDay !== null && begun >= perDay;
  }
}

/** Fate of a page. */
type Fate = ReturnType<typeof fateOf> | 'damaged';
/** The agent's reasons for images that look wrong. */
const LOOKS_ODD: ReadonlySet<string> = new Set([
  'BLANK',
  'BLURRED',
  'TOO_DARK',
  'TOO_SMALL',
  'SCANNED_BEFORE',
]);

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
