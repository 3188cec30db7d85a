import { inflateRawSync } from "node:zlib";

const END_OF_DIRECTORY = 0x06054b50;
const STORED = 0;

/** Uncompressed contents of a ZIP archive, by name; Terraform's plan files are such archives. */
export function zipEntries(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== END_OF_DIRECTORY) throw new Error("this is no ZIP archive");
  const entries = new Map<string, Buffer>();
  let offset = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const method = archive.readUInt16LE(offset + 10);
    const size = archive.readUInt32LE(offset + 20);
    const nameLength = archive.readUInt16LE(offset + 28);
    const header = archive.readUInt32LE(offset + 42);
    const name = archive.toString("utf8", offset + 46, offset + 46 + nameLength);
    // Lengths from the entry's own header, because its extra field may differ from the directory's.
    const data = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const bytes = archive.subarray(data, data + size);
    entries.set(name, method === STORED ? bytes : inflateRawSync(bytes));
    offset += 46 + nameLength + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32);
  }
  return entries;
}
