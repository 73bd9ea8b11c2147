/** What a look at something found, for people: `receiptd check`, `receiptd doctor`, a test of a folder in the console. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly message: string;
  /** In the message: what somebody else is called, known to nobody but the finder. */
  readonly names?: readonly string[];
}
