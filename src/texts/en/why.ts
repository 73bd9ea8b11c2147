import type { Detail, SaidElsewhere } from '../facts.ts';
import type { FaultFact } from '../fault.ts';
import type { Format } from '../format.ts';
import type { Fact, SamePhrases } from '../phrase.ts';
import { awayTexts } from './away.ts';
import { backupTexts } from './backups.ts';
import { faultText } from './faults.ts';
import {
  contentTexts,
  gapTexts,
  pageFlawTexts,
  type ContentFact,
  type GapFact,
  type PageFlawFact,
} from './imageFlaws.ts';
import { machineTexts } from './machine.ts';
import { ledgerFindingTexts, type Quoted } from './ledgerFindings.ts';

/** What a quality check finds in an image. */
export type Flaw = 'BLANK' | 'TOO_SMALL' | 'TOO_DARK' | 'BLURRED';

/** What a quality check found: flaws, the most serious first, and the document that the paper was scanned as before. */
export interface RemarkParams {
  readonly flaws: readonly Flaw[];
  /** `at`: milliseconds. */
  readonly before: { readonly name: string; readonly at: number } | null;
}

/** What a body is instead of the record of the document that was sent. */
export type NotARecord =
  'notJson' | 'noRecord' | 'noName' | 'otherName' | 'noEndpoint' | 'otherEndpoint' | 'noStatus';

/** Why a file or some of its pages can't be split. */
export type SplitReason =
  | 'ENCRYPTED'
  | 'DAMAGED'
  | 'FONT_MISSING'
  | 'PORTFOLIO'
  | 'XFA_FORM'
  | 'UNSUPPORTED'
  | 'TOO_MANY_PAGES'
  | 'TOO_DEAR'
  | 'BYTES_GONE';

const FLAWS: Readonly<Record<Flaw, string>> = {
  BLANK: 'It looks blank.',
  TOO_SMALL: 'Its resolution is too low to read.',
  TOO_DARK: 'It is too dark.',
  BLURRED: 'It is blurred.',
};
const AS_IT_IS = 'it as it is with `receiptd send FILE`.';
const NOT_A_RECORD: Readonly<Record<NotARecord, string>> = {
  notJson: 'the body is not JSON',
  noRecord: 'the body is not a document record',
  noName: 'the record has no name',
  otherName: 'the record has a different name',
  noEndpoint: 'the record has no endpoint',
  otherEndpoint: 'the record has a different endpoint',
  noStatus: 'the record has no status',
};
const SPLIT_CURES: Readonly<Record<SplitReason, string>> = {
  ENCRYPTED: 'Save it without a password and put it back in the folder.',
  DAMAGED: 'Scan it again.',
  FONT_MISSING: 'Open it and print it to a new PDF.',
  PORTFOLIO: 'Save the files that it contains into the folder.',
  UNSUPPORTED: 'Open it and save it as a JPEG.',
  XFA_FORM: 'Open it in Adobe Reader and print it to a new PDF.',
  TOO_MANY_PAGES: 'Split it into smaller files.',
  BYTES_GONE: 'Scan it again.',
  TOO_DEAR: 'Print it to a new PDF, or scan it again.',
};
const CHECKED_AGAIN = 'It is checked again when it changes.';

/** `words`: of the service, verbatim. */
const quoted = (words: string): string => (words === '' ? '' : `: "${words}"`);

const nameOf = (type: string): string => (type === 'pdf' ? 'PDFs' : `${type.toUpperCase()} images`);

/**
 * Why a document, file, attempt or hold is what it is: the ledger stores these codes with their parameters, and who shows them words
 * them. `words`: what the service answered.
 */
export const whyTexts = (format: Format) => {
  const { counted, number, time, bytes: size, phrase, asWord } = format;
  const gaps = gapTexts(format);
  const contents = contentTexts(format);
  const pageFlaws = pageFlawTexts(format);
  const sizes = (p: { bytes: number; limit: number }): readonly [string, string] => {
    const [is, limit] = [size(p.bytes), size(p.limit)];
    if (is !== limit) return [is, limit];
    return [counted(p.bytes, 'byte', 'bytes'), counted(p.limit, 'byte', 'bytes')];
  };
  const remark = ({ flaws, before }: RemarkParams): string =>
    [
      ...flaws.map((flaw) => FLAWS[flaw]),
      ...(before === null ? [] : [`It looks like ${before.name}, scanned at ${time(before.at)}.`]),
    ].join(' ');
  const everyPage = (pages: number): string =>
    pages === 1 ? 'Its image is a document.' : `Each of its ${number(pages)} pages is a document.`;
  const left = (count: number, one: string, other: string): readonly string[] =>
    count === 0 ? [] : [`${counted(count, one, other)} ${count === 1 ? 'was' : 'were'} not sent.`];
  const attached = (count: number): readonly string[] =>
    left(count, 'file attached to it', 'files attached to it');

  const quote = (said: Quoted): string => (typeof said === 'string' ? said : phrase(own, said));

  const own = {
    ...awayTexts,
    ...machineTexts,
    ...backupTexts(format),
    ...ledgerFindingTexts(format, quote),

    // Answers of the service.
    tokenRejected: (p: { words: string }) => `The service rejected the token${quoted(p.words)}.`,
    newTokenRejected: (p: { words: string }) =>
      `The service rejected the token${quoted(p.words)}. A new token was rejected too.`,
    uploadsForbidden: (p: { words: string }) =>
      `The service does not allow uploads to this endpoint, or the plan does not include them${quoted(p.words)}.`,
    endpointUnknown: (p: { words: string }) => `The service does not know this endpoint${quoted(p.words)}.`,
    slowDown: (p: { words: string }) =>
      `The service asked receiptd to slow down, or the plan's quota is used up${quoted(p.words)}.`,
    refused: (p: { words: string }) => `The service refused the document${quoted(p.words)}.`,
    blocked: (p: { status: number; words: string }) =>
      `Something is blocking access to the service: HTTP ${p.status}${quoted(p.words)}.`,
    answered: (p: { status: number; words: string }) =>
      `The service answered HTTP ${p.status}${quoted(p.words)}.`,
    redirects: (p: { status: number }) =>
      `The service redirects (HTTP ${p.status}); receiptd never sends its token elsewhere.`,
    undocumented: (p: { status: number; words: string }) =>
      `The service answered HTTP ${p.status}, which is undocumented${quoted(p.words)}.`,
    notTheService: (p: { flaw: NotARecord }) =>
      `HTTP 200, but ${NOT_A_RECORD[p.flaw]}. Something between receiptd and the service answered instead.`,
    mayHaveIt: (p: { status: number; words: string }) =>
      `HTTP ${p.status} after an upload that may have been stored${quoted(p.words)}. Check with the service, then send it again.`,
    fault: (p: { fault: FaultFact }) => faultText(p.fault, format),
    /** `last`: the last answer. */
    manyRefused: (p: { count: number; last: { readonly is: string } }): string =>
      `${counted(p.count, 'document', 'different documents')} in a row were refused, so the whole endpoint was put on hold. Last answer: ${phrase(own, p.last)}`,

    // Sending.
    leaseLost:
      "It was not sent, because this agent could not be sure of its lease or its share of the fleet's rate limit.",
    heldBack:
      'It was not sent, because its endpoint was put on hold or paused, or the agent stopped, just before the upload.',
    couldNotGoOn: (p: Detail) => `The upload could not go on: ${p.detail}`,
    paused: (p: { by: string }) => `Paused by ${p.by}.`,
    interrupted: 'receiptd stopped while this was being sent. It may have arrived, and is sent again.',
    agentSilent: (p: { agent: string }) =>
      `Agent ${p.agent} went silent while sending this. It may have arrived, and is sent again.`,
    agentRetired: (p: { agent: string }) =>
      `Agent ${p.agent} was retired while it sent this; it may have arrived.`,
    lostWithServer:
      "The outcome of this upload was lost with the ledger's server. It may have arrived, and is sent again.",
    onlyItsAgent: 'Only the agent that picked it up can find its image, and sends it once it does.',
    lostWithAgent: (p: { agent: string }) =>
      `Agent ${p.agent} was retired, and only it had this image. Scan the receipt again.`,
    seenAgain: 'Its image was seen again during the search for it.',
    twin: (p: { document: number }) =>
      `Another agent has the same image, as document ${p.document}; retrying sends this one as well.`,
    movedTo: (p: { endpoint: string; name: string }) => `Moved to endpoint ${p.endpoint}, as ${p.name}.`,

    // Files.
    emptyNoReceipt: 'The file is empty and not named like an image.',
    empty: 'The file is empty. It is checked again when it grows.',
    incomplete: (p: { gap: GapFact }) => `Incomplete: ${phrase(gaps, p.gap)}. ${CHECKED_AGAIN}`,
    notAnImage: (p: { content: ContentFact }) => `Not an image: ${phrase(contents, p.content)}.`,
    otherType: (p: { content: ContentFact }) =>
      `An image of a type that can't be sent: ${phrase(contents, p.content)}. Save it as JPEG or PNG.`,
    damaged: (p: { content: ContentFact }) => `Damaged, or not an image: ${phrase(contents, p.content)}.`,
    notSplit: (p: { type: string }) =>
      `${p.type.toUpperCase()} files can't be split into pages, because the required parts of receiptd are not installed. To see which, run \`receiptd doctor\`.`,
    notAccepted: (p: { type: string }) =>
      `${nameOf(p.type)} are not sent from this folder. Add \`${p.type}\` to its \`accept\` list to send them${p.type === 'pdf' ? ', if your service accepts PDFs' : ''}.`,
    tooLarge: (p: { bytes: number; limit: number }) => {
      const [is, limit] = sizes(p);
      return `Too large: ${is}; the limit of this folder is ${limit} (\`maxFileSize\`).`;
    },
    tooLargeNoReceipt: (p: { bytes: number; limit: number }) => {
      const [is, limit] = sizes(p);
      return `Not named like an image, and too large: ${is}; the limit of this folder is ${limit} (\`maxFileSize\`).`;
    },
    cantBeRead: (p: { system: string }) =>
      `The file can't be read (${p.system}). Allow the agent's user to read it. receiptd retries at every listing.`,
    badName:
      'Its name is not valid UTF-8 (invalid bytes are shown as %XX), so it was skipped. Rename it in a file manager, or convert the names in its folder with `convmv`.',
    /** `existing`: the setting, such as `skip`. */
    existing: (p: { existing: string }) =>
      p.existing === 'skip'
        ? 'It was in the folder when it was first watched, and only new files are sent.'
        : `It was in the folder when it was first watched, and not changed since ${p.existing.slice('since '.length)}.`,
    takenOver: 'It was in the folder while another agent watched it, and may already have been sent.',
    remark,
    keptBack: (p: RemarkParams) => {
      const advice =
        p.flaws.length === 0
          ? 'If it is a different receipt, send'
          : p.flaws[0] === 'BLANK'
            ? 'If it is a receipt, scan it again, or send'
            : 'Scan it again, or send';
      return `${remark(p)} ${advice} ${AS_IT_IS}`;
    },

    // Pages.
    splitting: 'It is being split into pages.',
    everyPageSent: (p: { pages: number; attachments: number }) =>
      [everyPage(p.pages), ...attached(p.attachments)].join(' '),
    somePagesSent: (p: { pages: number; sent: number; blank: number; attachments: number }) =>
      [
        `${number(p.sent)} of its ${number(p.pages)} pages ${p.sent === 1 ? 'is a document' : 'are documents'}.`,
        ...left(p.blank, 'blank page', 'blank pages'),
        ...attached(p.attachments),
      ].join(' '),
    allBlank: (p: { attachments: number }) =>
      [
        'All its pages look blank, so nothing was sent. If it contains a receipt, scan it again.',
        ...attached(p.attachments),
      ].join(' '),
    /** `sent`: pages of it that are sent all the same. */
    splitFailed: (p: { flaw: PageFlawFact; reason: SplitReason; sent: number; attachments: number }) =>
      [
        `It can't be split into pages: ${phrase(pageFlaws, p.flaw)}.`,
        p.sent === 0 ? 'Nothing of it was sent.' : `${counted(p.sent, 'page', 'pages')} of it will be sent.`,
        SPLIT_CURES[p.reason],
        ...attached(p.attachments),
      ].join(' '),
    /** `named`: some of the refused pages; `reason`: null if they have several. */
    pagesNotSent: (p: {
      pages: number;
      refused: number;
      named: readonly number[];
      sent: number;
      blank: number;
      reason: SplitReason | null;
      attachments: number;
    }) => {
      const more = p.refused > p.named.length ? ` and ${number(p.refused - p.named.length)} more` : '';
      const which = p.refused === 1 ? `Page ${p.named.join(', ')}` : `Pages ${p.named.join(', ')}${more}`;
      const others =
        p.sent === 0
          ? ''
          : `; ${counted(p.sent, 'other page', 'other pages')} ${p.sent === 1 ? 'is' : 'are'}`;
      const again = `Scan ${p.refused === 1 ? 'it' : 'them'} again.`;
      return [
        `${which} of ${number(p.pages)} can't be sent${others}.`,
        ...left(p.blank, 'blank page', 'blank pages'),
        'To see why, run `receiptd list --state rejected`.',
        p.reason === null ? again : SPLIT_CURES[p.reason],
        ...attached(p.attachments),
      ].join(' ');
    },
    pageNotDrawn: (p: { page: number; flaw: PageFlawFact }) =>
      `Page ${number(p.page)} can't be sent: ${phrase(pageFlaws, p.flaw)}.`,
    pageBlank: (p: { page: number }) => `Page ${number(p.page)} is blank and was skipped.`,
    pageKeptBack: (p: RemarkParams & { page: number }) => {
      const advice =
        p.flaws.length === 0
          ? 'If it is a different receipt, save it as an image and send that with `receiptd send FILE`.'
          : 'Scan it again.';
      return `Page ${number(p.page)} is not sent. ${remark(p)} ${advice}`;
    },

    // Single files.
    fileTooLarge: (p: { bytes: number; limit: number }) =>
      `The file has ${counted(p.bytes, 'byte', 'bytes')}; the limit is ${number(p.limit)} (\`maxFileSize\`).`,
    severalPages:
      'It has several pages, and only files in watched folders can be split. Put it in a watched folder.',
    /** `system`: null if it could be read, but as another file. */
    notReadByAgent: (p: { system: string | null }) =>
      `With \`spool: never\`, the agent keeps no copy, and it can't read this file itself${p.system === null ? '' : ` (${p.system})`}. Set \`spool: auto\`, or put the file in a watched folder.`,

    // What would become of a file.
    ofOtherEndpoint: (p: { state: string; name: string; endpoint: string }) =>
      `It is a document of another endpoint (${p.state}). To send it to this one too, run \`receiptd resend ${asWord(p.name)} --endpoint ${p.endpoint}\`.`,
    changing: 'It is changing now.',
    notReadNow: (p: { system: string }) => `It can't be read (${p.system}).`,
    alreadyThere: 'It is already in the folder, and would be left alone.',
    willBeSplit: 'It is split; each page gets its own name.',
    identicalTo: (p: { path: string }) => `Identical to ${p.path}.`,
    alreadyKnown: (p: { name: string }) => `It is already known, as ${p.name}.`,
    identicalHere: 'Identical to another file here.',
    noFreeName: 'No free name was found.',
    directoryUnread: (p: { system: string }) => `The folder can't be read (${p.system}).`,
    fileUnread: (p: { system: string }) => `The file can't be read (${p.system}).`,
    tooManyToCompare: (p: { folder: string }) =>
      `${p.folder} has more files than can be compared here. Use \`receiptd audit\` instead.`,
    erased: 'It was erased.',
    /** Of a shared folder. `leader`: null if no agent leads it; left out if that is not known. */
    standby: (p: { leader?: string | null; isReached: boolean }) => {
      const its =
        p.leader === undefined
          ? 'Until the ledger is reachable again, it is unknown which agent picks up its scans.'
          : p.leader === null
            ? 'No agent is picking up its scans at the moment.'
            : `Agent ${p.leader} picks up its scans.`;
      return p.isReached ? its : `${its} The folder can't be reached from here.`;
    },
    /** Why pages wait. */
    pages: (p: { flaw: PageFlawFact }) => phrase(pageFlaws, p.flaw),
  };
  return own;
};
type Phrased = ReturnType<typeof whyTexts>;
export type WhyFact = Fact<Phrased> | { readonly is: 'error'; readonly error: SaidElsewhere };
export type WhyTexts = SamePhrases<Phrased>;
