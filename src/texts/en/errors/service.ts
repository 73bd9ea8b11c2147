import type { Entries } from '../../facts.ts';

export function serviceErrors() {
  return {
    ENDPOINT_FORBIDDEN: (p: { host: string; answer: string }) => [
      `${p.host} does not allow this account to create an endpoint (HTTP 403)${p.answer}.`,
      "Check the account's plan and permissions on the service's website.",
    ],
    ENDPOINT_REFUSED: (p: { host: string; httpStatus: number; answer: string }) => [
      `${p.host} refused to create the endpoint (HTTP ${p.httpStatus})${p.answer}.`,
      'Correct the name, the outgoing URL or the language.',
    ],
    CREATE_UNCERTAIN: (p: { what: string }) => [
      `${p.what} The endpoint may have been created all the same.`,
      "Check the service's website before you try again: each success creates another endpoint.",
    ],
    'CREATE_UNCERTAIN.unrecorded': (p: { name: string; uid: string; detail: string }) => [
      `The endpoint "${p.name}" was created with the uid ${p.uid}, but could not be recorded: ${p.detail}`,
      `Don't create it again. Run this with --endpoint-uid ${p.uid}.`,
    ],
  } satisfies Entries;
}
