import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import * as tls from 'node:tls';
import { decodedText } from '../core/domain/encoding.ts';
import type { Clock } from '../core/ports/clock.ts';
import { ReceiptdError, systemCode, type AuthoritiesFlaw } from '../core/domain/errors.ts';

const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

/**
 * The certificate authorities of a PEM file, added to those that this process trusts anyway. Call once, because it parses about 140
 * certificates.
 * @throws ReceiptdError CONFIG_INVALID
 */
export function trusting(file: string, env: Readonly<Record<string, string | undefined>>): tls.SecureContext {
  return tls.createSecureContext({ ca: [...trustedAnyway(env), ...certificatesOf(file)] });
}

/** How long a connection may use authorities that were replaced: a stat on a share may take long. */
const LOOK_EVERY_MS = 2_000;

/** Those of a file that may be replaced while the agent runs. While a new one can't be used, the former ones are. */
export class Authorities {
  context: tls.SecureContext;
  readonly #file: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #stamp: string;
  #lookedAt: number;

  /** @throws ReceiptdError CONFIG_INVALID */
  constructor(
    file: string,
    env: Readonly<Record<string, string | undefined>>,
    clock: Pick<Clock, 'monotonic'>,
  ) {
    [this.#file, this.#env, this.#clock] = [file, env, clock];
    this.context = trusting(file, env);
    this.#stamp = stampOf(file);
    this.#lookedAt = clock.monotonic();
  }

  /** Whether the file was replaced, and `context` is a new one. */
  isRenewed(): boolean {
    const now = this.#clock.monotonic();
    if (now < this.#lookedAt + LOOK_EVERY_MS) return false;
    this.#lookedAt = now;
    try {
      const stamp = stampOf(this.#file);
      if (stamp === this.#stamp) return false;
      this.context = trusting(this.#file, this.#env);
      this.#stamp = stamp;
      return true;
    } catch {
      // Missing, closed or half written; looked at again.
      return false;
    }
  }
}

/** Differs after every change. */
function stampOf(file: string): string {
  const about = statSync(file, { bigint: true, throwIfNoEntry: false });
  return about === undefined
    ? ''
    : [about.dev, about.ino, about.size, about.mtimeNs, about.ctimeNs].join(' ');
}

/** The default authorities, with NODE_EXTRA_CA_CERTS: Node ignores both if an explicit list is given. */
function trustedAnyway(env: Readonly<Record<string, string | undefined>>): string[] {
  // Missing in the oldest Node version supported. Honours NODE_EXTRA_CA_CERTS and --use-system-ca.
  const newer = tls as { getCACertificates?: (type: 'default') => string[]; rootCertificates: unknown };
  if (newer.getCACertificates) return newer.getCACertificates('default');
  const extra = env['NODE_EXTRA_CA_CERTS'];
  if (extra === undefined || extra === '') return [...tls.rootCertificates];
  try {
    return [...tls.rootCertificates, ...(readFileSync(extra, 'latin1').match(CERTIFICATE) ?? [])];
  } catch {
    // Node ignores an unreadable file too, and has warned already.
    return [...tls.rootCertificates];
  }
}

function certificatesOf(file: string): string[] {
  let text: string;
  try {
    // Reading a FIFO would block the process forever.
    if (!statSync(file).isFile()) throw unusable(file, 'notAFile');
    const read = decodedText(readFileSync(file));
    if ('encoding' in read) throw unusable(file, read.encoding);
    text = read.text;
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw unusable(file, 'unreadable', { system: systemCode(error) ?? null, cause: error });
  }
  const found = text.match(CERTIFICATE);
  if (!found) throw unusable(file, 'noCertificate');
  for (const [index, pem] of found.entries()) {
    try {
      new X509Certificate(pem).toString();
    } catch (error) {
      throw unusable(file, 'broken', { number: index + 1, cause: error });
    }
  }
  return found;
}

function unusable(
  file: string,
  flaw: AuthoritiesFlaw,
  about: { system?: string | null; number?: number; cause?: unknown } = {},
): ReceiptdError {
  const { system = null, number = 0, cause } = about;
  return new ReceiptdError('CONFIG_INVALID.authorities', { file, flaw, system, number }, { cause });
}
