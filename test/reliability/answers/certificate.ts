/** A certificate for 127.0.0.1 that nobody else trusts, or null without openssl. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** File with the certificate that the client trusts. */
  readonly file: string;
}

export function makeCertificate(dir: string): Certificate | null {
  if (spawnSync('openssl', ['version']).status !== 0) return null;
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2', '-subj', '/CN=trial'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, '-addext', 'subjectAltName=IP:127.0.0.1'], {
    cwd: dir,
    stdio: 'pipe',
  });
  return {
    key: readFileSync(join(dir, 'key.pem'), 'utf8'),
    cert: readFileSync(join(dir, 'cert.pem'), 'utf8'),
    file: join(dir, 'cert.pem'),
  };
}
