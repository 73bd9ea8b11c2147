import { describe, expect, it } from 'vitest';
import { isOfLedger, ReceiptdError, systemCode } from '../../../src/core/domain/errors.ts';
import { fromData, toData } from '../../../src/ledger/thread/protocol.ts';

function crossed(error: unknown): Error {
  return fromData(structuredClone(toData(error)));
}

describe('an error that the thread passes on', () => {
  it('stays an error for people, with its hint and its cause', () => {
    const cause = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    const error = crossed(
      new ReceiptdError({ code: 'DISK_FULL', message: 'The disk is full.', hint: 'Free some.' }, { cause }),
    );
    expect(error).toBeInstanceOf(ReceiptdError);
    expect(error).toMatchObject({ code: 'DISK_FULL', message: 'The disk is full.', hint: 'Free some.' });
    expect(isOfLedger(error)).toBe(true);
    expect(error.cause).toMatchObject({ message: 'ENOSPC: no space left' });
    expect(systemCode(error.cause)).toBe('ENOSPC');
    const bare = crossed(new ReceiptdError({ code: 'DOCUMENT_STATE', message: 'No.' })) as ReceiptdError;
    expect([bare.hint, bare.cause]).toEqual([undefined, undefined]);
  });

  it('stays a defect, with its stack trace', () => {
    const defect = new TypeError('x is not a function');
    const error = crossed(defect);
    expect(error).not.toBeInstanceOf(ReceiptdError);
    expect(error).toMatchObject({ name: 'TypeError', message: defect.message, stack: defect.stack });
    expect(crossed('words')).toMatchObject({ message: 'words' });
  });
});
