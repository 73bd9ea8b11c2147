import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import * as tls from 'node:tls';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';

const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

/**
 * The certificate authorities of a PEM file, added to those that this process trusts anyway. Call once, because it parses about 140
 * certificates.
 * @throws ReceiptdError CONFIG_INVALID
 */
export function trusting(file: string, env: Readonly<Record<string, string | undefined>>): tls.SecureContext {
  return tls.createSecureContext({ ca: [...trustedAnyway(env), ...certificatesOf(file)] });
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
    if (!statSync(file).isFile()) throw unusable(file, 'is not a file');
    text = readFileSync(file, 'latin1');
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw unusable(file, `cannot be read (${systemCode(error)})`, error);
  }
  const found = text.match(CERTIFICATE);
  if (!found) throw unusable(file, 'contains no certificate in PEM format');
  for (const [index, pem] of found.entries()) {
    try {
      new X509Certificate(pem).toString();
    } catch (error) {
      throw unusable(file, `contains a broken certificate (number ${index + 1})`, error);
    }
  }
  return found;
}

function unusable(file: string, why: string, cause?: unknown): ReceiptdError {
  return new ReceiptdError('CONFIG_INVALID', `service.ca: ${file} ${why}.`, {
    hint: 'It must be a text file with the lines BEGIN CERTIFICATE and END CERTIFICATE.',
    cause,
  });
}
