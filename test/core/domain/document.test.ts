import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointId, sameIdentity, type FileIdentity } from '../../../src/core/domain/document.ts';

const identities = fc.record<FileIdentity>({
  size: fc.nat(5),
  mtimeNs: fc.bigInt({ min: 0n, max: 3n }),
  ctimeNs: fc.bigInt({ min: 0n, max: 3n }),
  inode: fc.bigInt({ min: 0n, max: 3n }),
});

describe('a file identity', () => {
  it('is equal only if no field changed', () => {
    fc.assert(
      fc.property(identities, identities, (a, b) => {
        const differs = (Object.keys(a) as (keyof FileIdentity)[]).some((key) => a[key] !== b[key]);
        expect(sameIdentity(a, b)).toBe(!differs);
        expect(sameIdentity(a, { ...a })).toBe(true);
      }),
    );
  });
});

describe('an endpoint', () => {
  it('is identified by its base URL and its uid', () => {
    const ids = [
      endpointId({ baseUrl: 'http://a', uid: 'x' }),
      endpointId({ baseUrl: 'http://b', uid: 'x' }),
      endpointId({ baseUrl: 'http://a', uid: 'y' }),
    ];
    expect(new Set(ids).size).toBe(3);
  });
});
