import type { ProgramEnd } from '../facts.ts';
import type { AccessUnknown, machineTexts as english, SomeFiles } from '../en/machine.ts';
import type { SamePhrases } from '../phrase.ts';

const some = ({ files, more }: SomeFiles): string =>
  `${files.join(', ')}${more > 0 ? ` und ${more} weitere` : ''}`;

export function endText(end: ProgramEnd): string {
  const said = end.said === '' ? '' : `: ${end.said}`;
  switch (end.how) {
    case 'exited':
      return `endete mit Status ${end.status}${said}`;
    case 'signal':
      return `wurde durch ${end.signal} beendet${said}`;
    case 'timedOut':
      return `brauchte zu lange und wurde beendet${said}`;
    default:
      return `ließ sich nicht starten (${end.said})`;
  }
}

function unknownText(unknown: AccessUnknown): string {
  const code = unknown.system === null ? '' : ` (${unknown.system})`;
  switch (unknown.why) {
    case 'noIdentity':
      return `whoami nannte keine Kennung dieses Benutzers${code}`;
    case 'noList':
      return `icacls speicherte keine Zugriffsliste${unknown.of === null ? '' : ` für ${unknown.of}`}${code}`;
    default:
      return `Zugriffslisten lassen sich nicht lesen${code}`;
  }
}

export const machineTexts: SamePhrases<typeof english> = {
  programEnded: (p) => endText(p.end),
  notAsked: (p) => `ließ sich nicht aufrufen (${p.detail})`,
  accessUnknown: (p) =>
    `Ob andere Benutzer Zugriff auf ${p.stateDir} haben, lässt sich nicht feststellen: ${unknownText(p.unknown)}. Prüfen Sie es mit icacls "${p.stateDir}".`,
  access: (p) =>
    [
      ...(p.closed.files.length > 0
        ? [`Andere Benutzer hatten Zugriff auf ${some(p.closed)}; er wurde ihnen entzogen.`]
        : []),
      ...(p.open.files.length > 0
        ? [
            `Andere Benutzer haben Zugriff auf ${some(p.open)}; ${p.remedy === null ? '`receiptd run` entzieht ihn' : `entziehen Sie ihn mit ${p.remedy}`}.`,
          ]
        : []),
      ...(p.exposed.length > 0
        ? [`Ändern Sie das Geheimnis in ${p.exposed.join(', ')}, denn sie konnten es lesen.`]
        : []),
    ].join(' '),
};
