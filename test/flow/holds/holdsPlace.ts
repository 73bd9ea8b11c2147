/** Holds on a real ledger, with the longest back-off that chance may give. */
import { expect } from 'vitest';
import type { EndpointKey } from '../../../src/core/domain/document.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { Holds } from '../../../src/flow/holds.ts';
import { OFFICE, sendingPlace } from '../sending.ts';

export const WHY = { reason: 'ECONNREFUSED', why: { is: 'interrupted' } } as const;
export const FORBIDDEN = { reason: 'HTTP_403', why: { is: 'uploadsForbidden', words: '' } } as const;
export const SLOWLY = { reason: 'HTTP_429', why: { is: 'slowDown', words: '' } } as const;
export const HOUR = 3_600_000;

let next = 0;

/** A document whose request was sent. */
export function sent(endpoint: EndpointKey = OFFICE) {
  next += 1;
  return { id: next, endpoint };
}

export async function holdsPlace() {
  const place = await sendingPlace();

  function create(ledger: Ledger = place.ledger, credentialsChanged?: () => Promise<boolean>): Holds {
    const { clock, log } = place;
    const deps = { ledger, clock, random: () => 1 - Number.EPSILON, log };
    return new Holds(credentialsChanged ? { ...deps, credentialsChanged } : deps);
  }

  /** As a new start of the program would find it. */
  async function restarted(): Promise<Holds> {
    const after = create();
    await after.restore();
    return after;
  }

  const holds = create();

  /** Waits until the endpoint may be probed. */
  async function untilProbe(endpoint: EndpointKey, of = holds): Promise<number> {
    const gate = of.gate(endpoint);
    const waitMs = gate.kind === 'closed' ? gate.waitMs : 0;
    await place.clock.advance(waitMs);
    expect(of.gate(endpoint)).toEqual({ kind: 'probe' });
    return waitMs;
  }

  /** The document that probes the endpoint, once it may be probed. */
  async function probing(endpoint: EndpointKey = OFFICE, of = holds) {
    await untilProbe(endpoint, of);
    const probe = sent(endpoint);
    of.startProbe(probe);
    return probe;
  }

  return { ...place, holds, create, restarted, untilProbe, probing };
}
