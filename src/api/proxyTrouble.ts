/** The connection failed at the proxy; nothing of the request reached the service. The message has no full stop. */
export class ProxyTrouble extends Error {
  /** Never one of undici's codes: on UND_ERR_SOCKET it would reconnect at once, forever (its issue 3897). */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ProxyTrouble';
    this.code = code;
  }
}
