import type { Detail, ProgramEnd } from '../facts.ts';

/** Files, some of them named. */
export type SomeFiles = { readonly files: readonly string[]; readonly more: number };

/** Why Windows does not tell who has access. `system`: its code, if there is one. */
export type AccessUnknown =
  | { readonly why: 'noIdentity'; readonly system: string | null }
  /** `of`: null for the directory itself. */
  | { readonly why: 'noList'; readonly of: string | null; readonly system: string | null }
  | { readonly why: 'unreadable'; readonly system: string };

const some = ({ files, more }: SomeFiles): string =>
  `${files.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;

/** To follow the program's name. `said`: what it printed is added. */
export function endText(end: ProgramEnd): string {
  const said = end.said === '' ? '' : `: ${end.said}`;
  switch (end.how) {
    case 'exited':
      return `ended with status ${end.status}${said}`;
    case 'signal':
      return `was ended by ${end.signal}${said}`;
    case 'timedOut':
      return `took too long and was ended${said}`;
    default:
      return `could not be started (${end.said})`;
  }
}

function unknownText(unknown: AccessUnknown): string {
  const code = unknown.system === null ? '' : ` (${unknown.system})`;
  switch (unknown.why) {
    case 'noIdentity':
      return `whoami gave no identifier of this user${code}`;
    case 'noList':
      return `icacls saved no access list${unknown.of === null ? '' : ` of ${unknown.of}`}${code}`;
    default:
      return `access lists can't be read${code}`;
  }
}

/** About programs, and the access of others to the state directory. */
export const machineTexts = {
  programEnded: (p: { end: ProgramEnd }) => endText(p.end),
  notAsked: (p: Detail) => `could not be asked (${p.detail})`,
  accessUnknown: (p: { stateDir: string; unknown: AccessUnknown }) =>
    `Could not determine whether other users have access to ${p.stateDir}: ${unknownText(p.unknown)}. Check with icacls "${p.stateDir}".`,
  /** `remedy`: null if the next start removes the access. `exposed`: secrets that others could read. */
  access: (p: { closed: SomeFiles; open: SomeFiles; remedy: string | null; exposed: readonly string[] }) =>
    [
      ...(p.closed.files.length > 0
        ? [`Other users had access to ${some(p.closed)}; this access was removed.`]
        : []),
      ...(p.open.files.length > 0
        ? [
            `Other users have access to ${some(p.open)}; ${p.remedy === null ? '`receiptd run` removes it' : `make it private with ${p.remedy}`}.`,
          ]
        : []),
      ...(p.exposed.length > 0
        ? [`Change the secret in ${p.exposed.join(', ')}, because they could read it.`]
        : []),
    ].join(' '),
};
