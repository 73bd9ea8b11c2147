/** The reason of a hold, for a sentence that goes on: without the code at its end, which is returned separately. */
export function holdWords(message: string): { readonly text: string; readonly code: string | null } {
  const [, words = message, code = null] = /^(.*?)\s*\[([A-Z][A-Z0-9_]+)\]$/s.exec(message) ?? [];
  // Whoever shows the hold says when it is retried.
  const text = words.replace(/ receiptd retries automatically\.$/, '');
  // Messages from old ledgers and services may lack a full stop.
  return { text: /[.!?\]]$/.test(text) ? text : `${text}.`, code };
}
