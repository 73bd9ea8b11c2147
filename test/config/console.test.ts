import { describe, expect, it } from 'vitest';
import { parse, problemsOf, yaml } from './support.ts';

const settings = (section: string) => parse(yaml({ more: `console: ${section}` })).console;
const problem = (section: string) => problemsOf(yaml({ more: `console: ${section}` }));

describe('where the console listens', () => {
  it.each([
    ['127.0.0.1:8471', { host: '127.0.0.1', port: 8471 }],
    ['"[::1]:8471"', { host: '::1', port: 8471 }],
    ['127.8.9.1:1', { host: '127.8.9.1', port: 1 }],
    ['onDemand', 'onDemand'],
    ['off', 'off'],
  ])('may be %s', (written, meant) => {
    expect(settings(`{ listen: ${written} }`).listen).toEqual(meant);
  });

  const NONE =
    'always 8471 :8471 localhost:8471 127.0.0.1 127.0.0.1:0 127.0.0.1:65536 1.2.3:80 [fe80::1%eth0]:80 [127.0.0.1]:80 ::1:80';
  it.each(NONE.split(' '))('is an address and a port, an IPv6 address in brackets, not %s', (written) => {
    expect(problem(`{ listen: "${written}" }`)).toMatchObject([
      { key: 'console.listen', expected: { is: 'listen' } },
    ]);
  });

  it.each(['0.0.0.0:8471', '192.168.1.2:8471', '"[::]:8471"', '128.0.0.1:80'])(
    'may be an address that others reach, with a certificate or (then the console stays closed) without: %s',
    (written) => {
      expect(settings(`{ listen: ${written} }`)).toMatchObject({ listen: {}, tls: null });
      const tls = 'tls: { cert: c.pem, key: /k.pem }';
      expect(settings(`{ listen: ${written}, ${tls} }`).tls).toEqual({
        cert: '/etc/receiptd/c.pem',
        key: '/k.pem',
      });
    },
  );

  it('takes a certificate with its key only', () => {
    for (const tls of ['{ cert: c.pem }', '{ key: k.pem }'])
      expect(problem(`{ tls: ${tls} }`)).toMatchObject([
        { key: 'console.tls', expected: { is: 'certAndKey' } },
      ]);
  });
});

describe('further names of the console', () => {
  it('are host names in lower case, with a port or without', () => {
    expect(
      settings('{ hosts: [Receipts.Example.com, "nas:8471", "[2001:DB8::1]:443", 192.0.2.1] }').hosts,
    ).toEqual(['receipts.example.com', 'nas:8471', '[2001:db8::1]:443', '192.0.2.1']);
  });

  it.each([
    'https://nas',
    'nas/',
    '*',
    '*.example.com',
    'a b',
    'nas:',
    'nas:0',
    '',
    '-nas',
    'user@nas',
    'nas.',
  ])('are not "%s"', (name) => {
    expect(problem(`{ hosts: ["${name}"] }`)).toMatchObject([{ expected: { is: 'hostName' } }]);
  });
});
