/** The way to the service ends at the proxy; nothing of the request went further. The message has no full stop. */
export class ProxyTrouble extends Error {
  /** None of undici's: it would connect again at once, forever, on UND_ERR_SOCKET (its issue 3897). */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ProxyTrouble';
    this.code = code;
  }
}
