import type {
  AttemptOutcome,
  DocumentState,
  EndpointKey,
  Verdict,
} from '../../../src/core/domain/document.ts';
import type { LedgerEvent } from '../../../src/ledger/events.ts';
import { fromJournal } from '../../../src/ledger/events.ts';
import type { JournalEntry } from '../../../src/core/ports/journal.ts';

export interface KnownDocument {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly sha256: string;
  state: DocumentState;
  /** All states that it has ever been in. */
  readonly states: Set<DocumentState>;
  reason: string | null;
  /** Status from the service. */
  status: string | null;
  /** Whether the ledger has a result for it. */
  hasResult: boolean;
  /** Number of recorded requests; each is recorded before it is sent. */
  begun: number;
  readonly outcomes: AttemptOutcome[];
}

export interface KnownSighting {
  readonly id: number;
  readonly folder: string;
  readonly path: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly sha256: string | null;
  readonly document: number | null;
}

/** The state according to the durable journal, read independently of the ledger's code. */
export class LedgerView {
  readonly documents = new Map<number, KnownDocument>();
  /** Current sightings, by id. */
  readonly sightings = new Map<number, KnownSighting>();
  /** Disposals announced but not finished, by sighting. */
  readonly intents = new Map<
    number,
    { readonly folder: string; readonly path: string; readonly how: string }
  >();
  /** Files being split, by sighting; with the hash of their bytes. */
  readonly open = new Map<number, { readonly uid: string; readonly sha256: string }>();
  /** For each folder, the id of the last sighting exempt from its rule for originals; 0: none. */
  readonly stays = new Map<string, number>();
  readonly #firstOfBytes = new Map<string, number>();
  /** First sighting of each document, by document. */
  readonly #firstSightings = new Map<number, number>();
  /** Every path at which these bytes were seen. */
  readonly placesOf = new Map<string, Set<string>>();
  /** Last verdict by folder and path, including files that are gone, such as pages, which go at once. */
  readonly lastVerdicts = new Map<string, Verdict>();

  read(entry: JournalEntry): LedgerEvent {
    const event = fromJournal(entry);
    switch (event.kind) {
      case 'named': {
        const { document: id, endpoint, name, sha256 } = event;
        const { uid }: EndpointKey = endpoint;
        this.documents.set(id, {
          id,
          uid,
          name,
          sha256,
          state: 'queued',
          reason: null,
          status: null,
          hasResult: false,
          begun: 0,
          outcomes: [],
          states: new Set(),
        });
        this.#seenAt(sha256, event.folder, event.path);
        break;
      }
      case 'sighted': {
        const { sighting: id, folder, path, verdict, reason, document } = event;
        const wasThere = this.sightings.has(id);
        if (event.supersedes !== null) this.sightings.delete(event.supersedes);
        const sha256 = document === null ? event.sha256 : (this.documents.get(document)?.sha256 ?? null);
        // A later verdict on a sighting that is gone does not make its file present again.
        const isHistory = event.supersedes === id && !wasThere;
        if (!isHistory) this.sightings.set(id, { id, folder, path, verdict, reason, sha256, document });
        if (sha256 !== null && !this.#firstOfBytes.has(sha256)) this.#firstOfBytes.set(sha256, id);
        if (event.into && sha256 !== null) this.open.set(id, { uid: event.into.uid, sha256 });
        else this.open.delete(id);
        if (document !== null && !this.#firstSightings.has(document)) this.#firstSightings.set(document, id);
        if (sha256 !== null) this.#seenAt(sha256, folder, path);
        this.lastVerdicts.set(`${folder}/${path}`, verdict);
        break;
      }
      case 'gone':
        for (const id of event.sightings) this.sightings.delete(id);
        break;
      case 'originals':
        this.stays.set(event.folder, event.stays);
        break;
      case 'disposing': {
        const sighting = this.sightings.get(event.sighting);
        if (event.how === null) this.intents.delete(event.sighting);
        else if (sighting) this.intents.set(event.sighting, { ...sighting, how: event.how });
        break;
      }
      case 'disposed':
        this.intents.delete(event.sighting);
        if (event.how !== 'kept') this.sightings.delete(event.sighting);
        break;
      case 'began': {
        const document = this.documents.get(event.document);
        if (document) {
          document.begun += 1;
          document.state = 'uploading';
        }
        break;
      }
      case 'ended':
        this.documents.get(event.document)?.outcomes.push(event.outcome);
        break;
      case 'result': {
        const document = event.document === null ? undefined : this.documents.get(event.document);
        if (document) {
          document.hasResult = true;
          document.status = event.status ?? document.status;
        }
        break;
      }
      case 'moved':
        for (const id of event.documents) {
          const document = this.documents.get(id);
          if (!document) continue;
          document.state = event.state;
          document.states.add(event.state);
          document.reason = 'reason' in event ? event.reason : null;
          if (event.state === 'accepted') document.status = event.status;
        }
        break;
      default:
        break;
    }
    return event;
  }

  /** Whether the image was known before the folder's rule for originals took effect, so that the rule does not apply to it. */
  isFromBefore(folder: string, { id }: KnownDocument): boolean {
    return (this.#firstSightings.get(id) ?? Infinity) <= (this.stays.get(folder) ?? 0);
  }

  /** The same for a multi-page file. */
  areBytesFromBefore(folder: string, sha256: string): boolean {
    return (this.#firstOfBytes.get(sha256) ?? Infinity) <= (this.stays.get(folder) ?? 0);
  }

  documentOf(uid: string, sha256: string): KnownDocument | undefined {
    for (const document of this.documents.values())
      if (document.uid === uid && document.sha256 === sha256) return document;
    return undefined;
  }

  sightingAt(folder: string, path: string): KnownSighting | undefined {
    for (const sighting of this.sightings.values())
      if (sighting.folder === folder && sighting.path === path) return sighting;
    return undefined;
  }

  #seenAt(sha256: string, folder: string, path: string): void {
    const places = this.placesOf.get(sha256) ?? new Set();
    places.add(`${folder}/${path}`);
    this.placesOf.set(sha256, places);
  }
}
