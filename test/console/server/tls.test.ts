import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPair } from '../../../src/http/certificate.ts';
import { CONSOLE_LISTENER } from '../../../src/http/listen.ts';
import { createAuthority, hasOpenssl, type Authority } from '../../api/certificates.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { ask, cookieOf, own, perform, raw, signIn } from './browser.ts';
import { setKnownPassword } from './knownPassword.ts';
import { open, prepare } from './opened.ts';
import { freePort } from '../../support/ports.ts';

describe.skipIf(!hasOpenssl)('a console with a certificate', () => {
  let authority: Authority;
  let dir: string;
  let ca: string;

  beforeAll(() => {
    authority = createAuthority();
    ca = readFileSync(authority.file, 'utf8');
    dir = mkdtempSync(join(tmpdir(), 'receiptd-tls-'));
    issue('good');
  });

  afterAll(() => {
    authority.remove();
    rmSync(dir, { recursive: true });
  });

  function issue(name: string, days = 1): { cert: string; key: string } {
    const files = { cert: join(dir, `${name}.pem`), key: join(dir, `${name}.key`) };
    const pair = authority.issue('IP:127.0.0.1,DNS:localhost', days);
    writeFileSync(files.cert, pair.cert);
    writeFileSync(files.key, pair.key);
    return files;
  }

  const files = (cert: string, key = 'good.key') => ({ cert: join(dir, cert), key: join(dir, key) });

  it('uses HTTPS, with a Secure cookie', async () => {
    const { url, origin } = await open({ tls: files('good.pem') });
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/#token=/);
    const answer = await ask(origin, {
      ca,
      method: 'POST',
      path: '/session',
      headers: own(origin),
      body: JSON.stringify({ token: url.split('#token=')[1] }),
    });
    expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(/; Secure$/)]);
    // On this machine it would also bind every other program.
    expect(answer.headers['strict-transport-security']).toBeUndefined();
    const insecure = origin.replace('https:', 'http:');
    const asked = { ca, method: 'POST', path: '/v1/tryHeld', body: '{}' };
    const cookie = cookieOf(answer);
    expect((await ask(origin, { ...asked, headers: own(origin, { cookie }) })).status).toBe(200);
    expect((await ask(origin, { ...asked, headers: own(origin, { cookie, origin: insecure }) })).status).toBe(
      403,
    );
    // A client without TLS gets no answer, and disturbs nobody.
    expect(await raw(origin, `GET / HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n\r\n`)).toBe('');
    expect((await ask(origin, { ca })).status).toBe(200);
  });

  it('accepts only its own address or name as host on a public address, where it needs a password', async () => {
    const port = await freePort();
    const settings = { listen: { host: '0.0.0.0', port }, tls: files('good.pem'), hosts: ['localhost'] };
    const clock = new FakeClock();
    const { console, incidents, stateDir } = await prepare(settings, { clock });
    await console.start();
    expect(incidents.list()).toMatchObject([{ code: 'CONSOLE_UNAVAILABLE' }]);
    await expect(console.open()).rejects.toMatchObject({ key: 'CONSOLE_UNAVAILABLE.noPassword' });
    await setKnownPassword(stateDir);
    // No restart is needed.
    await clock.advanceUntil(() => incidents.list().length === 0, 10_000);
    const { url } = await console.open();
    expect(url).toContain(`https://localhost:${port}/#token=`);
    const { origin } = new URL(url);
    const cookie = await signIn(url, ca);
    const asked = { ca, method: 'POST', path: '/v1/tryHeld', body: '{}', headers: own(origin, { cookie }) };
    const answer = await ask(origin, asked);
    expect(answer.status).toBe(200);
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    const status = async (host: string) =>
      (await ask(`https://127.0.0.1:${port}`, { ca, headers: { host } })).status;
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`0.0.0.0:${port}`)).toBe(421);
    expect(await status(`evil.example:${port}`)).toBe(421);
  });

  it('reports an address that this machine does not have', async () => {
    const settings = { listen: { host: '192.0.2.1', port: 8471 }, tls: files('good.pem') };
    const { console, incidents, stateDir } = await prepare(settings);
    await setKnownPassword(stateDir);
    await console.start();
    expect(incidents.list()).toMatchObject([{ code: 'CONSOLE_UNAVAILABLE' }]);
    await expect(console.open()).rejects.toMatchObject({
      key: 'CONSOLE_UNAVAILABLE.address',
      params: { where: '192.0.2.1:8471', system: 'EADDRNOTAVAIL' },
    });
  });

  it('uses a renewed certificate for new connections, and keeps the old one if the new one is invalid', async () => {
    const renewed = issue('renewed');
    const { console, log, origin } = await open({ tls: renewed });
    const serial = () => serialOf(origin);
    const first = await serial();
    issue('renewed');
    console.take({ listen: 'onDemand', tls: renewed, hosts: [] });
    await expect.poll(serial).not.toBe(first);
    const second = await serial();
    writeFileSync(renewed.cert, 'no certificate');
    console.take({ listen: 'onDemand', tls: renewed, hosts: [] });
    await expect.poll(() => log.said('The console certificate could not').length).toBe(1);
    expect(await serial()).toBe(second);
    expect((await perform(origin, '', 'tryHeld', {}, ca)).status).toBe(401);
  });

  it('notices a renewed certificate by itself', async () => {
    const files = issue('replaced');
    const clock = new FakeClock();
    const { origin } = await open({ tls: files }, { clock });
    const first = await serialOf(origin);
    issue('replaced');
    let second = first;
    await clock.advanceUntil(async () => {
      second = await serialOf(origin);
      return second !== first;
    }, 30_000);
    // The session of a browser is independent of it.
    expect([second === first, (await ask(origin, { ca })).status]).toEqual([false, 200]);
  });

  it('warns of a certificate that expires soon', async () => {
    const { log } = await open({ tls: files('good.pem') });
    expect(log.said('The console certificate expires soon')).toMatchObject([{ level: 'warn' }]);
  });

  it('reports what is wrong with its certificate files', async () => {
    issue('other');
    writeFileSync(join(dir, 'empty.pem'), '');
    writeFileSync(join(dir, 'half.pem'), readFileSync(join(dir, 'good.pem'), 'utf8').slice(0, 200));
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
    openssl('ec', '-aes128', '-passout', 'pass:secret', '-in', 'good.key', '-out', 'locked.key');
    openssl('genrsa', '-out', 'weak.key', '512');
    openssl('req', '-x509', '-key', 'weak.key', '-out', 'weak.pem', '-subj', '/CN=weak', '-days', '1');
    for (const [cert, key, why] of [
      ['gone.pem', 'good.key', { kind: 'unreadable', of: 'cert', system: 'ENOENT' }],
      ['good.pem', 'gone.key', { kind: 'unreadable', of: 'key', system: 'ENOENT' }],
      ['.', 'good.key', { kind: 'unreadable', of: 'cert', system: 'EISDIR' }],
      ['empty.pem', 'good.key', { kind: 'noCertificate', file: join(dir, 'empty.pem') }],
      ['half.pem', 'good.key', { kind: 'noCertificate' }],
      ['good.key', 'good.key', { kind: 'noCertificate' }],
      ['good.pem', 'good.pem', { kind: 'noKey', file: join(dir, 'good.pem') }],
      ['good.pem', 'locked.key', { kind: 'locked' }],
      ['good.pem', 'other.key', { kind: 'mismatch' }],
      ['weak.pem', 'weak.key', { kind: 'unusable', detail: 'ERR_SSL_EE_KEY_TOO_SMALL' }],
    ] as const)
      await expect(readPair(files(cert, key), CONSOLE_LISTENER)).rejects.toMatchObject({
        key: 'CONSOLE_UNAVAILABLE.unfitPair',
        params: why,
      });
    const { console } = await prepare({ tls: files('gone.pem') });
    await expect(console.open()).rejects.toMatchObject({ code: 'CONSOLE_UNAVAILABLE' });
  });
});

async function serialOf(origin: string): Promise<string> {
  const { port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.end();
    });
    socket.on('error', reject);
  });
}
