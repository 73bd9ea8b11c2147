import { describe, expect, it } from 'vitest';
import { restedMs } from '../../src/pipeline/atRest.ts';

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6);
const ext4 = { name: 'ext4', network: false };

/** Changed that long ago, by the clock that stamped it. */
function changed(agoMs: number, mtimeAgoMs = agoMs) {
  const at = (ms: number) => BigInt(NOW - ms) * 1_000_000n;
  return { size: 1, inode: 1n, ctimeNs: at(agoMs), mtimeNs: at(mtimeAgoMs) };
}

describe('how long a file has surely been still', () => {
  it('is the time since its ctime, less a tick of the kernel', () => {
    expect(restedMs(changed(1_000), ext4, NOW)).toBe(990);
    expect(restedMs(changed(5), ext4, NOW)).toBe(0);
  });

  it('says nothing of a copy that kept an old mtime', () => {
    expect(restedMs(changed(0, 3_600_000), ext4, NOW)).toBe(0);
  });

  it('is nothing where the clock was set back', () => {
    expect(restedMs(changed(-60_000), ext4, NOW)).toBe(0);
  });

  it.each(['nfs', 'cifs', 'fuse', '9p', 'vboxsf'])('can’t be told on %s, which has another clock', (name) => {
    expect(restedMs(changed(3_600_000), { name, network: true }, NOW)).toBe(0);
  });

  it.each(['overlay', 'vfat', 'local', '0x1234'])('can’t be told on %s', (name) => {
    expect(restedMs(changed(3_600_000), { name, network: false }, NOW)).toBe(0);
  });
});
