import { describe, expect, it } from 'vitest';
import { isExempt } from '../../src/api/noProxy.ts';
import { routeOf } from '../../src/api/route.ts';

const https = new URL('https://api.service.example');
const http = new URL('http://api.service.example:8080/prefix');

describe('the proxy', () => {
  it.each([
    ['for https', https, { https_proxy: 'http://a:1', http_proxy: 'http://b:2' }, 'tunnel a:1'],
    ['in capitals', https, { HTTPS_PROXY: 'http://a:1' }, 'tunnel a:1'],
    ['in small letters first', https, { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2' }, 'tunnel b:2'],
    ['an empty one means none', https, { HTTPS_PROXY: 'http://a:1', https_proxy: '' }, 'direct'],
    ['for http', http, { http_proxy: 'http://b:2', https_proxy: 'http://a:1' }, 'forward b:2'],
    ['for http in capitals', http, { HTTP_PROXY: 'http://b:2' }, 'forward b:2'],
    [
      'not from a visitor of a CGI script',
      http,
      { HTTP_PROXY: 'http://b:2', REQUEST_METHOD: 'GET' },
      'direct',
    ],
    ['for everything', https, { ALL_PROXY: 'http://c:3' }, 'tunnel c:3'],
    ['without http://', https, { https_proxy: 'proxy.example:3128' }, 'tunnel proxy.example:3128'],
    ['that NO_PROXY exempts', https, { https_proxy: 'http://a:1', NO_PROXY: 'service.example' }, 'direct'],
    [
      'and one that it does not',
      https,
      { https_proxy: 'http://a:1', no_proxy: 'other.example' },
      'tunnel a:1',
    ],
    ['of nobody', https, {}, 'direct'],
  ])('from the environment %s', (_what, base, env, expected) => {
    const route = routeOf('auto', base, env);
    expect(route.kind === 'direct' ? 'direct' : `${route.kind} ${route.proxy.host}`).toBe(expected);
  });

  it('of the config wins over the environment, NO_PROXY included', () => {
    const env = { https_proxy: 'http://a:1', no_proxy: '*' };
    expect(routeOf('http://b:2', https, env)).toMatchObject({ kind: 'tunnel' });
    expect(routeOf('direct', https, { https_proxy: 'http://a:1' })).toEqual({ kind: 'direct' });
  });

  it('alone gets user and password, decoded', () => {
    const route = routeOf('http://me:p%40ss@b:2', https, {});
    if (route.kind === 'direct') throw new Error('no proxy');
    expect(route.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
    expect(route.proxy.href).toBe('http://b:2/');
    expect(route.secrets).toEqual(expect.arrayContaining(['p@ss', 'p%40ss']));
  });

  it.each(['socks5://a:1', 'http://', 'http://me:hidden@', 'ftp://me:hidden@b'])(
    'that is invalid (%s) is refused without quoting it',
    (value) => {
      const refusal = (): unknown => routeOf('auto', https, { HTTPS_PROXY: value });
      expect(refusal).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
      expect(refusal).toThrow(/^HTTPS_PROXY is not the address of an HTTP proxy\.$/);
    },
  );
});

it.each([
  ['*', 'any.example', '443', true],
  ['service.example', 'service.example', '443', true],
  ['service.example', 'api.service.example', '443', true],
  ['.service.example', 'api.service.example', '443', true],
  ['*.service.example', 'api.service.example', '443', true],
  ['service.example', 'notservice.example', '443', false],
  ['SERVICE.example.', 'Service.Example', '443', true],
  ['a.example, b.example  c.example', 'c.example', '443', true],
  ['service.example:8443', 'service.example', '443', false],
  ['service.example:8443', 'service.example', '8443', true],
  ['10.0.0.5', '10.0.0.5', '443', true],
  ['10.0.0.5', '10.0.0.50', '443', false],
  ['10.0.0.0/8', '10.9.8.7', '443', true],
  ['10.0.0.0/8', '11.9.8.7', '443', false],
  ['[::1]', '[::1]', '443', true],
  ['[::1]:8443', '[::1]', '443', false],
  ['::1', '[::1]', '443', true],
  ['fd00::/8', '[fd12::1]', '443', true],
  ['10.0.0.0/99', '10.0.0.1', '443', false],
  ['', 'any.example', '443', false],
  [' , ', 'any.example', '443', false],
])('NO_PROXY=%s exempts %s:%s: %s', (noProxy, hostname, port, expected) => {
  expect(isExempt(noProxy, { hostname, port })).toBe(expected);
});
