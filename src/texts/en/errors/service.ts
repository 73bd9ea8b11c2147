import { faultText } from '../faults.ts';
import type { FaultFact } from '../../fault.ts';
import type { Detail, Entries } from '../../facts.ts';
import type { Format } from '../../format.ts';

const CREATED_ALL_THE_SAME = 'The endpoint may have been created all the same.';
const BEFORE_TRYING_AGAIN =
  "Check the service's website before you try again: each success creates another endpoint.";
const IN_THE_WAY = 'Check service.baseUrl, and whether a proxy or a login page is in the way.';

export function serviceErrors(format: Pick<Format, 'faultOf'>) {
  return {
    'SERVICE_UNREACHABLE.proxy': (p: { fault: FaultFact }) => [
      faultText(p.fault, format),
      'Check service.proxy, or HTTPS_PROXY if service.proxy is auto.',
    ],
    'SERVICE_UNREACHABLE.practice': (p: { fault: FaultFact; port: number }) => [
      faultText(p.fault, format),
      `If this is the practice service, start it with \`receiptd sandbox --port ${p.port}\`. Otherwise, correct service.baseUrl.`,
    ],
    'SERVICE_UNREACHABLE.service': (p: { fault: FaultFact }) => [
      faultText(p.fault, format),
      "Check service.baseUrl and this machine's network connection.",
    ],
    'SERVICE_ANSWER.noTokensNow': (p: { host: string; httpStatus: number }) => [
      `${p.host} is not issuing tokens at the moment (HTTP ${p.httpStatus}).`,
      'receiptd retries automatically.',
    ],
    'SERVICE_ANSWER.noToken': (p: { host: string; httpStatus: number }) => [
      `${p.host} answered the token request with HTTP ${p.httpStatus}.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.unusableToken': (p: { host: string }) => [
      `${p.host} answered the token request, but not with a usable token.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.whoamiStatus': (p: { host: string; httpStatus: number; answer: string }) => [
      `${p.host} answered the credentials check with HTTP ${p.httpStatus}${p.answer}.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.whoami': (p: { host: string }) => [
      `${p.host} gave an unexpected answer to the credentials check.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.redirect': (p: { host: string; httpStatus: number }) => [
      `${p.host} redirects (HTTP ${p.httpStatus}); receiptd never follows redirects.`,
      IN_THE_WAY,
    ],
    ENDPOINT_FORBIDDEN: (p: { host: string; answer: string }) => [
      `${p.host} does not allow this account to create an endpoint (HTTP 403)${p.answer}.`,
      "Check the account's plan and permissions on the service's website.",
    ],
    ENDPOINT_REFUSED: (p: { host: string; httpStatus: number; answer: string }) => [
      `${p.host} refused to create the endpoint (HTTP ${p.httpStatus})${p.answer}.`,
      'Correct the name, the outgoing URL or the language.',
    ],
    'CREATE_UNCERTAIN.fault': (p: { fault: FaultFact }) => [
      `${faultText(p.fault, format)} ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.noUid': (p: { host: string; httpStatus: number }) => [
      `${p.host} answered HTTP ${p.httpStatus} but returned no endpoint uid. ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.status': (p: { host: string; httpStatus: number; answer: string }) => [
      `${p.host} answered HTTP ${p.httpStatus}${p.answer}. ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.redirect': (p: { host: string; httpStatus: number }) => [
      `${p.host} redirects (HTTP ${p.httpStatus}); receiptd never follows redirects. ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.unrecorded': (p: { name: string; uid: string } & Detail) => [
      `The endpoint "${p.name}" was created with the uid ${p.uid}, but could not be recorded: ${p.detail}`,
      `Don't create it again. Run this with --endpoint-uid ${p.uid}.`,
    ],
  } satisfies Entries;
}
