import { codeOfFault, faultText, type FaultFact } from '../core/domain/why.ts';

/** The connection failed at the proxy; nothing of the request reached the service. */
export class ProxyTrouble extends Error {
  /** Never one of undici's codes: on UND_ERR_SOCKET it would reconnect at once, forever (its issue 3897). */
  readonly code: string;
  readonly fault: FaultFact;

  constructor(fault: Extract<FaultFact, { at: 'proxy' | 'proxyAnswer' }>) {
    super(faultText(fault));
    this.name = 'ProxyTrouble';
    this.code = codeOfFault(fault);
    this.fault = fault;
  }
}
