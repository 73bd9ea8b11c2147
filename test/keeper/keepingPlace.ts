/** Where the bytes of a document are until it is accepted, on a real spool and a real ledger. */
import { readdir } from 'node:fs/promises';
import type { Document, EndpointKey } from '../../src/core/domain/document.ts';
import type { AttemptResult } from '../support/uploads.ts';
import { settle } from '../support/fakeClock.ts';
import { OFFICE, sendingPlace } from '../flow/sending.ts';
import { keeping, type KeepingOptions } from './keeping.ts';
import { later, send } from '../contract/ledger/support.ts';

export const DAY = 24 * 3_600_000;

export async function keepingPlace(options: KeepingOptions = {}) {
  const place = await sendingPlace();
  const gate = { open: true };
  const given: string[] = [];
  const buffers = { giveBack: (bytes: Buffer) => void given.push(bytes.toString()) };
  const kept = await keeping(place, { mode: 'auto', canSend: () => gate.open, buffers, ...options });
  const { payloads, spoolDir } = kept;
  const { ledger, clock, scans } = place;

  /** A scan comes to rest and is admitted, if there is room for it. */
  async function arrive(name: string, text = `the text of ${name}`, endpoint: EndpointKey = OFFICE) {
    const image = { endpoint, folder: scans, bytes: Buffer.from(text) };
    const admitted = await payloads.keep(image, async () => {
      const document = await place.admit(name, { text, endpoint });
      return { kind: document.attempts > 0 ? 'known' : 'queued', document };
    });
    return admitted?.document ?? null;
  }

  async function mustArrive(name: string, text?: string, endpoint?: EndpointKey): Promise<Document> {
    const document = await arrive(name, text, endpoint);
    if (!document) throw new Error(`${name} was not admitted`);
    return document;
  }

  /** As delivery does it; `state` is what came of it. */
  async function deliver(
    document: Document,
    state: 'accepted' | 'failed' | 'queued',
  ): Promise<Buffer | null> {
    const payload = payloads.take(document.id) ?? (await payloads.read(document));
    if (!payload) return null;
    const bytes = Buffer.from(payload.bytes);
    await record(document, state);
    if (state === 'accepted') payloads.accepted(document);
    else await payloads.returned(document);
    await settle();
    return bytes;
  }

  /** An upload as the ledger has it, of this agent or another one. */
  async function record({ id }: Document, state: 'accepted' | 'failed' | 'queued'): Promise<void> {
    const why = { reason: 'TEST', message: 'as the test says' };
    const ends: Record<typeof state, Partial<AttemptResult>> = {
      accepted: {},
      failed: { outcome: 'refused', transition: { state: 'failed', ...why } },
      queued: { outcome: 'refused', transition: later(0) },
    };
    await send(ledger, id, { from: clock.now(), at: clock.now(), ...ends[state] });
  }

  const sweep = () => payloads.sweep(new AbortController().signal);
  const files = async () =>
    (await readdir(spoolDir, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
      .length;
  return { ...place, ...kept, gate, given, arrive, mustArrive, deliver, record, sweep, files };
}
