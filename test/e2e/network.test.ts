import { copyFile, writeFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuthority, hasOpenssl, tlsFront } from '../api/certificates.ts';
import { proxyServer } from '../api/proxy.ts';
import { scriptedServer, sendJson } from '../api/scriptedServer.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, storedOnce, type Site } from './support/agent.ts';
import { freePort } from '../support/ports.ts';

async function scan(site: Site, name: string): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}

function folders(site: Site): readonly Record<string, unknown>[] {
  return [{ path: site.file('inbox'), endpoint: 'office' }];
}

describe('a proxy', () => {
  test('in the environment is used unless NO_PROXY exempts the service', async () => {
    const site = await prepare();
    const proxy = await proxyServer();
    await scan(site, 'a.jpg');
    site.env = { ...site.env, HTTP_PROXY: `http://${proxy.host}`, NO_PROXY: '127.0.0.1' };
    expect((await site.quickOnce()).status).toBe(0);
    expect(proxy.seen).toEqual([]);
    await scan(site, 'b.jpg');
    site.env = { ...site.env, NO_PROXY: 'other.example' };
    expect((await site.quickOnce()).status).toBe(0);
    expect(proxy.seen.length).toBeGreaterThan(0);
    expect(await storedOnce(site)).toHaveProperty('size', 2);
  });

  test('of the configuration carries all requests; one that is unreachable or needs another password fails no document, and is named', async () => {
    const site = await prepare();
    const proxy = await proxyServer({ login: 'scan:right-word' });
    await scan(site, 'a.jpg');
    const gone = `127.0.0.1:${await freePort()}`;
    for (const [address, words] of [
      [gone, `The proxy ${gone} refused the connection`],
      [`scan:wrong-word@${proxy.host}`, `The proxy ${proxy.host} requires a user name and password`],
    ] as const) {
      const service = { baseUrl: site.sandbox.url, proxy: `http://${address}` };
      await site.writeConfig({ service, folders: folders(site) });
      const ended = await site.quickOnce('--wait', '300ms');
      expect(ended.status).toBe(5);
      expect(ended.stderr).toContain(words);
      expect(ended.stderr + ended.stdout).not.toContain('wrong-word');
      expect((await site.list()).map(({ state }) => state)).not.toContain('failed');
    }
    const service = { baseUrl: site.sandbox.url, proxy: `http://scan:right-word@${proxy.host}` };
    await site.writeConfig({ service, folders: folders(site) });
    expect((await site.quickOnce()).status).toBe(0);
    expect(await storedOnce(site)).toHaveProperty('size', 1);
    expect(proxy.seen.map(({ line }) => line)).toContain(`POST ${site.sandbox.url}/v2/oauth2/token`);
  });
});

test.skipIf(!hasOpenssl)(
  'a certificate authority in the configuration is trusted, also through a proxy tunnel',
  async () => {
    const authority = createAuthority();
    onTestFinished(() => authority.remove());
    const site = await prepare();
    const proxy = await proxyServer();
    const baseUrl = await tlsFront(authority.issue('IP:127.0.0.1'), site.sandbox.url);
    await scan(site, 'a.jpg');
    await site.writeConfig({ service: { baseUrl, proxy: `http://${proxy.host}` }, folders: folders(site) });
    const distrustful = await site.quickOnce('--wait', '300ms');
    expect(distrustful.status).toBe(5);
    expect(distrustful.stderr).toContain('has a certificate that this machine does not trust');
    await copyFile(authority.file, site.file('authority.pem'));
    const service = { baseUrl, proxy: `http://${proxy.host}`, ca: 'authority.pem' };
    await site.writeConfig({ service, folders: folders(site) });
    expect((await site.quickOnce()).status).toBe(0);
    expect(site.sandbox.received()).toHaveLength(1);
    expect(proxy.seen.every(({ line }) => line === `CONNECT ${new URL(baseUrl).host}`)).toBe(true);
    await writeFile(site.file('authority.pem'), 'nothing');
    const broken = await site.quickOnce();
    expect(broken.stderr).toContain(
      `service.ca: ${site.file('authority.pem')} contains no certificate in PEM format.`,
    );
    expect(broken.stderr).toContain('[CONFIG_INVALID]');
  },
);

test('a login page of the network fails no document, and the target of its redirect gets no token', async () => {
  const site = await prepare();
  const login = await scriptedServer((_request, response) => sendJson(response, 200, {}));
  for (const answer of [200, 302, 511]) {
    await scan(site, `${answer}.jpg`);
    const portal = await scriptedServer((request, response) => {
      // Some portals let requests through until the image is sent.
      if (request.url === '/v2/oauth2/token')
        return sendJson(response, 200, { access_token: 'portal-token' });
      response.writeHead(answer, { 'content-type': 'text/html', location: `${login.baseUrl}/login` });
      return response.end('<html>Please log in</html>');
    });
    await site.writeConfig({ service: { baseUrl: portal.baseUrl }, folders: folders(site) });
    expect((await site.quickOnce('--wait', '300ms')).status).toBe(5);
    const rows = await site.list();
    expect(rows.map(({ state }) => state)).not.toContain('failed');
    expect(rows.map(({ state }) => state)).not.toContain('accepted');
  }
  expect(login.connections()).toBe(0);
});
