// Which pages of the executable may be given back: those that are equal to the file.
import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync } from "node:fs";
import {
  fileRuns,
  findSection,
  mappingsOf,
  ProgramPages,
  unwrittenPart,
} from "../../src/platform/process/idle-memory.ts";

const PAGE = 4096;
const MAPS = `00200000-01a39000 r--p 00000000 fe:00 997        /opt/lineside (deleted)
01a40000-0684a000 r-xp 01838000 fe:00 997        /opt/lineside (deleted)
06867000-08483000 rw-p 0665e000 fe:00 997        /opt/lineside (deleted)
7fae00632000-7fae0063a000 rw-s 00000000 fe:00 12 /opt/lineside (deleted)
7fae0074c000-7fae007b8000 rw-p 00000000 00:00 0
7fae40b34000-7fae40c8a000 r-xp 00026000 fe:00 3  /usr/lib/libc.so.6`;

/** Entries of `/proc/self/pagemap`: each letter is a page of the file (f), a written one (w), a swapped one (s) or none (-). */
const entries = (pages: string) =>
  new Uint32Array(
    [...pages].flatMap((page) => [0, { f: 0xa0000000, w: 0x80000000, s: 0x40000000 }[page] ?? 0]),
  );

test("finds the private mappings of the program, also after its file was replaced", () => {
  const mappings = mappingsOf(MAPS, "/opt/lineside (deleted)");
  expect(mappings).toEqual([
    { start: 0x200000, end: 0x1a39000, isWritable: false, fileOffset: 0 },
    { start: 0x1a40000, end: 0x684a000, isWritable: false, fileOffset: 0x1838000 },
    { start: 0x6867000, end: 0x8483000, isWritable: true, fileOffset: 0x665e000 },
  ]);
});

test("selects whole pages of the compiled program in a writable mapping, and nothing else of it", () => {
  const [, code, data] = mappingsOf(MAPS, "/opt/lineside (deleted)");
  if (code === undefined || data === undefined) throw new Error("the mappings are missing");
  const section = { start: 0x6819010, end: 0x6819010 + 3 * PAGE };
  expect(unwrittenPart(data, section, PAGE)).toEqual({ start: 0x6a23000, end: 0x6a25000 });
  const { start, end } = unwrittenPart(data, undefined, PAGE);
  expect(end - start).toBe(0);
  expect(unwrittenPart(code, section, PAGE)).toMatchObject({ start: code.start, end: code.end });
});

test("leaves written and swapped pages out of the runs", () => {
  const many = "f".repeat(16);
  expect(fileRuns(0, PAGE, entries(`${many}w${many}-s${many}`))).toEqual([
    { start: 0, end: 16 * PAGE },
    { start: 17 * PAGE, end: 34 * PAGE },
    { start: 35 * PAGE, end: 51 * PAGE },
  ]);
});

test("leaves short runs alone", () => {
  expect(fileRuns(0, PAGE, entries(`${"f".repeat(15)}w${"-".repeat(100)}`))).toEqual([]);
});

test.if(process.platform === "linux")(
  "finds a section of the running program, and none in another file",
  () => {
    const sectionOf = (path: string, name: string) => {
      const file = openSync(path, "r");
      try {
        return findSection(file, name);
      } finally {
        closeSync(file);
      }
    };
    const text = sectionOf("/proc/self/exe", ".text");
    expect((text?.end ?? 0) - (text?.start ?? 0)).toBeGreaterThan(1 << 20);
    expect(sectionOf("/proc/self/exe", ".nothing")).toBeUndefined();
    expect(sectionOf(import.meta.path, ".text")).toBeUndefined();
  },
);

test.if(process.platform === "linux")("releases pages of the program, which come back with their use", () => {
  const residentKb = () => Number(/RssFile:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  const pages = new ProgramPages();
  const before = residentKb();
  pages.release();
  expect(residentKb()).toBeLessThan(before);
  expect(JSON.parse('{"a":[1,2,3]}')).toEqual({ a: [1, 2, 3] });
});
