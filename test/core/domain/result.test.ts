import { describe, expect, it } from 'vitest';
import { readResult } from '../../../src/core/domain/result.ts';

const NONE = { name: null, endpointUid: null, status: null };

describe('the documented fields of a result', () => {
  it('are taken verbatim, and no others', () => {
    const text = '\uFEFF{"name":"SCAN 1 é","endpointUid":"u-1","status":" Done ","total":1}';
    expect(readResult(text)).toEqual({ name: 'SCAN 1 é', endpointUid: 'u-1', status: ' Done ' });
  });

  it.each([
    ['no text', null],
    ['no JSON', 'DONE'],
    ['a list', '[{"name":"a"}]'],
    ['other types', '{"name":1,"endpointUid":{},"status":["DONE"]}'],
    ['nothing in them', '{"name":"","status":""}'],
    ['what comes from a prototype', '{"__proto__":{"name":"a","status":"DONE"}}'],
    // Some storage ends text at a NUL, which would turn this into DONE.
    ['control characters', JSON.stringify({ name: 'a\0b', endpointUid: 'u\n', status: 'DONE\0NOT' })],
    ['too much', JSON.stringify({ name: 'a'.repeat(1_001), status: 'b'.repeat(1_001) })],
  ])('are missing in %s', (_what, text) => {
    expect(readResult(text)).toEqual(NONE);
  });
});
