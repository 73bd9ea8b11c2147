/**
 * A DLL for x64 that holds no code: each of its functions is that of another DLL (PE format, "The .edata section": a forwarder). For
 * what Wine 8 does not have and programs ask for.
 */
export function forwardingDll(name: string, forwards: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(forwards).toSorted();
  const section = Buffer.alloc(IN_FILE);
  const functions = EXPORT_DIRECTORY;
  const nameTable = functions + 4 * names.length;
  const ordinals = nameTable + 4 * names.length;
  let end = ordinals + 2 * names.length;
  const text = (value: string): number => {
    const at = end;
    end += section.write(`${value}\0`, at, 'latin1');
    return IN_MEMORY + at;
  };
  section.writeUInt32LE(text(name), 12);
  section.writeUInt32LE(1, 16);
  section.writeUInt32LE(names.length, 20);
  section.writeUInt32LE(names.length, 24);
  for (const [index, at] of [functions, nameTable, ordinals].entries())
    section.writeUInt32LE(IN_MEMORY + at, 28 + 4 * index);
  for (const [index, each] of names.entries()) {
    section.writeUInt32LE(text(forwards[each] ?? ''), functions + 4 * index);
    section.writeUInt32LE(text(each), nameTable + 4 * index);
    section.writeUInt16LE(index, ordinals + 2 * index);
  }
  return Buffer.concat([headers(end), section]);
}

/** Where the one section lies; an address within the export directory is taken for a forwarder. */
const IN_MEMORY = 0x1000;
const IN_FILE = 0x200;
const EXPORT_DIRECTORY = 40;

function headers(sectionSize: number): Buffer {
  const bytes = Buffer.alloc(IN_FILE);
  bytes.write('MZ', 0);
  bytes.writeUInt32LE(0x40, 0x3c);
  bytes.write('PE\0\0', 0x40);
  const file = 0x44;
  bytes.writeUInt16LE(0x8664, file);
  bytes.writeUInt16LE(1, file + 2);
  bytes.writeUInt16LE(240, file + 16);
  // Runs, knows large addresses, is a DLL.
  bytes.writeUInt16LE(0x2022, file + 18);
  const optional = file + 20;
  bytes.writeUInt16LE(0x20b, optional);
  bytes.writeUInt32LE(IN_FILE, optional + 8);
  bytes.writeBigUInt64LE(0x1_8000_0000n, optional + 24);
  bytes.writeUInt32LE(IN_MEMORY, optional + 32);
  bytes.writeUInt32LE(IN_FILE, optional + 36);
  // For Windows 6.0 and later.
  bytes.writeUInt16LE(6, optional + 40);
  bytes.writeUInt16LE(6, optional + 48);
  bytes.writeUInt32LE(2 * IN_MEMORY, optional + 56);
  bytes.writeUInt32LE(IN_FILE, optional + 60);
  bytes.writeUInt16LE(2, optional + 68);
  bytes.writeUInt16LE(0x160, optional + 70);
  // Stack and heap: reserved, committed.
  for (const [index, size] of [0x10_0000n, 0x1000n, 0x10_0000n, 0x1000n].entries())
    bytes.writeBigUInt64LE(size, optional + 72 + 8 * index);
  bytes.writeUInt32LE(16, optional + 108);
  bytes.writeUInt32LE(IN_MEMORY, optional + 112);
  bytes.writeUInt32LE(sectionSize, optional + 116);
  const section = optional + 240;
  bytes.write('.edata', section);
  bytes.writeUInt32LE(sectionSize, section + 8);
  bytes.writeUInt32LE(IN_MEMORY, section + 12);
  bytes.writeUInt32LE(IN_FILE, section + 16);
  bytes.writeUInt32LE(IN_FILE, section + 20);
  // Initialised data, readable.
  bytes.writeUInt32LE(0x4000_0040, section + 36);
  return bytes;
}
