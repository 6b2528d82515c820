import { expect, test } from "bun:test";
import { unpackZstd } from "../../../src/lib/data/zstd.ts";

const contents: Record<string, Uint8Array> = {
  "one byte": Uint8Array.of(7),
  "the same byte": new Uint8Array(300_000).fill(1),
  "no pattern": Uint8Array.from({ length: 200_000 }, (_, index) =>
    Number(Bun.hash.xxHash32(`${index}`) & 255),
  ),
  text: new TextEncoder().encode("SELECT id FROM item WHERE text = 'x'; ".repeat(5_000)),
};

for (const [name, content] of Object.entries(contents)) {
  const packed = Bun.zstdCompressSync(content);

  test(`${name} comes back, also in frames that follow one another`, () => {
    expect(unpackZstd(packed, content.length).equals(content)).toBe(true);
    expect(unpackZstd(packed, 1_000_000).equals(content)).toBe(true);
    const twice = Buffer.concat([packed, packed]);
    expect(() => unpackZstd(twice, 2 * content.length)).not.toThrow();
  });

  test(`${name} that is cut is refused, also behind its last full block`, () => {
    for (let end = 0; end < packed.length; end += Math.ceil(packed.length / 200))
      expect(() => unpackZstd(packed.subarray(0, end), 1_000_000)).toThrow();
    expect(() => unpackZstd(packed.subarray(0, -1), 1_000_000)).toThrow();
  });
}

test("a last block that says that another one follows is refused", () => {
  const packed = Buffer.from(Bun.zstdCompressSync(new Uint8Array(60_000).fill(1)));
  const header = 7; // behind magic number, descriptor and two bytes of the content's size
  expect((packed[header] ?? 0) & 1).toBe(1);
  packed[header] = (packed[header] ?? 0) ^ 1;
  expect(() => unpackZstd(packed, 1_000_000)).toThrow();
});

test("no more than the limit is unpacked", () => {
  const bomb = Bun.zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
  expect(() => unpackZstd(bomb, 100_000)).toThrow();
});
