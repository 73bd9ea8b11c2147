import { endpointId, type Document } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { EVERYTHING, PAUSE_SCOPES, type PauseScope } from '../../core/domain/hold.ts';
import { iso } from '../../core/domain/words.ts';
import type { Holds } from '../../flow/holds.ts';
import { locateBytes, type OpenFolder } from '../../keeper/locateBytes.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerFleet } from '../../core/ports/fleet.ts';
import type { Act, Cases, Ledger } from '../../core/ports/ledger.ts';
import type { DocumentPictures } from '../../core/ports/pictures.ts';
import type { Spool } from '../../core/ports/spool.ts';
import type { Request, Response } from '../protocol/protocol.ts';
import { SOMEBODY } from '../protocol/shapes.ts';
import { casesOf } from './dismissal.ts';
import { erase } from './erase.ts';
import { actOnMany, configured } from './many.ts';
import { LISTED_AT_ONCE, PART_MS } from './parts.ts';
import { fleetOf } from '../queries/fleet.ts';
import { namedDocuments } from '../queries/namedDocuments.ts';
import { withoutSecret } from '../../core/domain/resultsPath.ts';
import { within } from '../../core/domain/why.ts';

export interface OperationDeps {
  readonly ledger: Ledger;
  readonly spool: Spool;
  readonly holds: Holds;
  readonly pictures: Pick<DocumentPictures, 'forget'>;
  readonly baseUrl: string;
  readonly endpoints: readonly EndpointSettings[];
  readonly folders: readonly string[];
  readonly open: OpenFolder;
  readonly clock: Clock;
  /** Makes the flow read its queue again after a change. */
  readonly changed: () => Promise<void>;
  /** Accepts a folder as it is now, although it is empty and on a different file system; only a person can confirm this. */
  readonly takeOver: (folder: string) => Promise<void>;
}

const RETRIED_AT_ONCE = 500;

/** Changes that people make: in the running daemon (over the control socket) or, without one, in the command's own process. */
export class OperationHandlers {
  readonly #deps: OperationDeps;

  constructor(deps: OperationDeps) {
    this.#deps = deps;
  }

  /** Queues failed, unconfirmed, lost and waiting documents at once, and tries everything on hold. */
  async retry({ names = [], all, after, by }: Request<'retry'>): Promise<Response<'retry'>> {
    const { ledger, clock } = this.#deps;
    if (all) return this.#retryAll(after ?? 0, by);
    if (names.length === 0) throw new ReceiptdError('USAGE.documentOrAll');
    const documents: Document[] = [];
    for (const written of names) {
      const named = await namedDocuments(ledger, written);
      if (named.every(({ state }) => state === 'accepted')) {
        throw new ReceiptdError('DOCUMENT_STATE.accepted', { name: named[0].name });
      }
      documents.push(...named);
    }
    const ids = documents.map(({ id }) => id);
    const queued = await ledger.retry(ids, clock.now());
    const meant = [...new Set(documents.map(({ name }) => name))];
    await this.#record('retry', meant.join(', '), by);
    await this.tryHeld();
    const missing = (await ledger.fleet?.missingFor(ids)) ?? [];
    return { queued, names: meant, ...(missing.length > 0 && { missing: [...missing] }), next: null };
  }

  /** Works in short transactions, so that other writers do not have to wait for all of them. */
  async #retryAll(after: number, by: string | undefined): Promise<Response<'retry'>> {
    const { ledger, clock } = this.#deps;
    const at = clock.now();
    const until = clock.monotonic() + PART_MS;
    if (after === 0) await this.#record('retry', '--all', by);
    let queued = 0;
    let next: number | null = after;
    while (next !== null && clock.monotonic() < until) {
      const listed: readonly number[] = await ledger.retriable(next, LISTED_AT_ONCE, at);
      if (listed.length === 0) next = null;
      for (
        let start = 0;
        start < listed.length && (start === 0 || clock.monotonic() < until);
        start += RETRIED_AT_ONCE
      ) {
        const ids = listed.slice(start, start + RETRIED_AT_ONCE);
        queued += await ledger.retry(ids, at);
        next = ids.at(-1) ?? null;
      }
    }
    await this.tryHeld();
    return { queued, names: [], next };
  }

  /** Retries, resends, dismisses or undismisses many documents, selected by number or by filter. */
  actOnMany(request: Request<'actOnMany'>): Promise<Response<'actOnMany'>> {
    return actOnMany(this.#deps, request);
  }

  /** Dismisses cases that need a person, or undoes that. */
  async dismiss(request: Request<'dismiss'>): Promise<Response<'dismiss'>> {
    const { ledger, clock } = this.#deps;
    const { all = false, undo = false, after = 0, by = SOMEBODY } = request;
    const write = (cases: Cases) =>
      undo ? ledger.undismiss(cases, by, clock.now()) : ledger.dismiss(cases, by, clock.now());
    const until = clock.monotonic() + PART_MS;
    let dismissed = 0;
    for await (const cases of casesOf(ledger, request)) {
      dismissed += await write(cases);
      // Dismissed cases drop out of the list, so the next call starts with the remaining ones.
      if (all && dismissed > 0 && clock.monotonic() >= until) return { dismissed, next: after + dismissed };
    }
    return { dismissed, next: null };
  }

  /** Tries everything on hold at once; changes nothing else. */
  async tryHeld(): Promise<Record<string, never>> {
    await this.#deps.holds.clearAll();
    await this.#deps.changed();
    return {};
  }

  /** Deliberately sends an accepted document again: to its endpoint under the same name, or to another endpoint. */
  async resend({ name: written, endpoint: alias, by }: Request<'resend'>): Promise<Response<'resend'>> {
    const { ledger, spool, open, clock, changed } = this.#deps;
    const target = alias === undefined ? null : configured(this.#deps, alias).key;
    const named = await namedDocuments(ledger, written);
    const { name } = named[0];
    const inTarget = named.find(({ endpoint }) => target && endpointId(endpoint) === endpointId(target));
    const document = inTarget ?? named[0];
    const found = await locateBytes(document, { ledger, spool, open });
    if (found.kind !== 'bytes') {
      const isElsewhere = found.kind === 'gone' && found.elsewhere === true;
      throw new ReceiptdError('BYTES_GONE.notResent', { name, ...within(found.why), isElsewhere });
    }
    await this.#record('resend', alias === undefined ? name : `${name} to ${alias}`, by);
    if (!target || inTarget) {
      await ledger.resend(document.id, clock.now());
      await changed();
      return { name: document.name, endpointUid: document.endpoint.uid, outcome: 'queued' };
    }
    const admitted = await ledger.admitElsewhere(document.id, target, clock.now());
    const outcome = admitted.kind === 'duplicate' || admitted.kind === 'known' ? 'duplicate' : 'queued';
    await changed();
    return { name: admitted.document.name, endpointUid: target.uid, outcome };
  }

  async pause({ target, until, by }: Request<'pause'>): Promise<Response<'pause'>> {
    const { holds, clock } = this.#deps;
    const end = until === undefined ? null : Date.parse(until);
    if (end !== null && end <= clock.now())
      throw new ReceiptdError('USAGE.pausedUntilPast', { until: iso(end) });
    const targets = target === undefined ? [ALL] : this.#targets(target);
    for (const { scope, key } of targets) await holds.pause(scope, key, by ?? SOMEBODY, end);
    const detail = [target ?? EVERYTHING, ...(until === undefined ? [] : [`until ${until}`])].join(' ');
    await this.#record('pause', detail, by);
    await this.#deps.changed();
    return { targets: targets.map(({ label }) => label) };
  }

  async resume({ target, by }: Request<'resume'>): Promise<Response<'pause'>> {
    const { holds, takeOver } = this.#deps;
    const targets =
      target === undefined ? [ALL, ...this.#endpoints(), ...this.#folders()] : this.#targets(target);
    const paused = targets.filter(({ scope, key }) => holds.isPaused(scope, key));
    for (const { scope, key } of paused) await holds.resume(scope, key);
    const foreign = targets.filter(({ scope }) => target !== undefined && scope === 'folder');
    for (const { key } of foreign) await takeOver(key);
    await this.#record('resume', target ?? EVERYTHING, by);
    await this.#deps.changed();
    return { targets: (paused.length > 0 ? paused : foreign).map(({ label }) => label) };
  }

  async pauseAgent({ agent, by }: Request<'pauseAgent'>): Promise<Response<'pauseAgent'>> {
    await this.#fleet.setPaused(agent, by ?? SOMEBODY);
    await this.#record('pause', `agent ${agent}`, by);
    return this.#standingOf(agent);
  }

  async resumeAgent({ agent, by }: Request<'resumeAgent'>): Promise<Response<'resumeAgent'>> {
    await this.#fleet.setPaused(agent, null);
    await this.#record('resume', `agent ${agent}`, by);
    return this.#standingOf(agent);
  }

  async retireAgent({ agent, by }: Request<'retireAgent'>): Promise<Response<'retireAgent'>> {
    const retired = await this.#fleet.retire(agent, this.#deps.clock.now());
    await this.#record('retire', `agent ${agent}`, by);
    await this.#deps.changed();
    return retired;
  }

  /** An agent that never ran counts as stopped. */
  async #standingOf(agent: string): Promise<Response<'pauseAgent'>> {
    const { agents } = await fleetOf(this.#deps.ledger);
    const { state = 'stopped', lastSeenAt = null } = agents?.find(({ name }) => name === agent) ?? {};
    return { state, lastSeenAt };
  }

  get #fleet(): LedgerFleet {
    const { fleet } = this.#deps.ledger;
    if (fleet !== null) return fleet;
    throw new ReceiptdError('USAGE.agentNotShared');
  }

  /** Remembers an endpoint created here, for `endpoint list`: the service offers no list. */
  async recordEndpoint({
    uid,
    name,
    verbatim,
    by,
  }: Request<'recordEndpoint'>): Promise<Record<string, never>> {
    const { ledger, clock, baseUrl } = this.#deps;
    await ledger.recordEndpoint({ baseUrl, uid }, name, withoutSecret(verbatim), clock.now());
    await this.#record('endpointCreate', `${name} ${uid}`, by);
    return {};
  }

  #targets(target: string): PauseTarget[] {
    const endpoints = this.#endpoints();
    const found = [
      ...endpoints.filter(({ label, uid }) => label === target || uid === target),
      ...this.#folders().filter(({ key }) => key === target),
    ];
    if (found.length > 0) return found;
    // Of an endpoint or a folder that is no longer configured: `status` names it so.
    for (const scope of PAUSE_SCOPES)
      if (this.#deps.holds.isPaused(scope, target)) return [{ scope, key: target, label: target }];
    throw new ReceiptdError('USAGE.noSuchTarget', {
      target,
      known: [...endpoints, ...this.#folders()].map(({ label }) => label),
    });
  }

  #endpoints(): (PauseTarget & { readonly uid: string })[] {
    return this.#deps.endpoints.map(({ key, alias }) => ({
      scope: 'endpoint' as const,
      key: endpointId(key),
      label: alias,
      uid: key.uid,
    }));
  }

  #folders(): PauseTarget[] {
    return this.#deps.folders.map((path) => ({ scope: 'folder' as const, key: path, label: path }));
  }

  /** Erases personal data of settled documents: by name, or all those named before a given time. */
  erase(request: Request<'erase'>): Promise<Response<'erase'>> {
    return erase(this.#deps, request, (detail) => this.#record('erase', detail, request.by));
  }

  /** Copies the ledger into a new file. */
  async backup({ output }: Request<'backup'>): Promise<Response<'backup'>> {
    // The reserve was released for the outcomes of uploads; a backup beside the ledger would fill it.
    if (output === undefined && this.#deps.ledger.storage.trouble()?.code === 'DISK_FULL')
      throw new ReceiptdError('DISK_FULL.noBackup');
    return this.#deps.ledger.backup(output ?? null);
  }

  async #record(kind: Act['kind'], detail: string, by = SOMEBODY): Promise<void> {
    const { ledger, clock } = this.#deps;
    await ledger.recordAct({ at: clock.now(), kind, by, detail });
  }
}

interface PauseTarget {
  readonly scope: PauseScope;
  readonly key: string;
  readonly label: string;
}

const ALL: PauseTarget = { scope: 'service', key: EVERYTHING, label: EVERYTHING };
