import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { packTar } from "modern-tar";
import type { DomainError } from "../../../src/lib/core/domain-error.ts";
import { collectArchive } from "../../../src/modules/codec-index/archive-files.ts";
import { CollectedFiles } from "../../../src/modules/codec-index/collected-files.ts";
import { buildIndex } from "../../../src/modules/codec-index/index-build.ts";
import { IndexFile } from "../../../src/modules/codec-index/index-file.ts";
import {
  type Collection,
  chirpstackCollection,
  plainCollection,
  tarOf,
  thingsNetworkCollection,
  writeCollection,
  zipOf,
} from "../../support/codec-collections.ts";

let directory: string;
let target: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-codec-index-"));
  target = join(directory, "index.db");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const MIB = 1024 * 1024;
const ALL = { limit: 100, offset: 0 };

async function build(kind: "archive" | "folder", path: string) {
  const summary = await buildIndex(
    { source: { kind, path }, origin: "test", target, now: 7 },
    () => undefined,
  );
  const index = IndexFile.open(target);
  if (index === undefined) throw new Error("there is no index");
  return { summary, index };
}

function archive(bytes: Uint8Array): string {
  const path = join(directory, "archive");
  writeFileSync(path, bytes);
  return path;
}

const fromFolder = (files: Collection) => build("folder", writeCollection(join(directory, "in"), files));

/** Returns the code of the error that a build ends with. */
const codeOf = (built: Promise<unknown>) =>
  built.then(
    () => "built",
    (error: DomainError) => error.code,
  );

test("reads vendors, devices, codecs and examples of The Things Network's layout", async () => {
  const { summary, index } = await fromFolder(thingsNetworkCollection);
  expect(summary).toEqual({
    origin: "test",
    layouts: ["THINGS_NETWORK"],
    entries: 3,
    vendors: 1,
    scripts: 2,
    skipped: 1,
    loadedAt: 7,
  });
  const { entries } = index.search("", ALL);
  expect(entries.map(({ model, firmware, file }) => [model, firmware, file])).toEqual([
    ["Twin", "1.0", "vendor/gusts/wind.js"],
    ["Twin", "2.0", "vendor/gusts/twin.js"],
    ["Wind Sensor", "", "vendor/gusts/wind.js"],
  ]);
  expect(entries[2]).toMatchObject({
    vendor: "Gusts & Söhne",
    description: "Measures the wind",
    license: "Apache License",
    fPorts: [1, 42],
  });
  expect(entries[2]?.examples).toEqual([
    {
      description: "Weak wind",
      direction: "uplink",
      fPort: 1,
      frame: "0313",
      data: null,
      expected: { isError: false, data: { direction: 3, speed: 1.9 }, frame: null, fPort: null },
    },
    {
      description: "Unknown port",
      direction: "uplink",
      fPort: 42,
      frame: "01",
      data: null,
      expected: { isError: true, data: null, frame: null, fPort: null },
    },
    {
      description: "Turn green",
      direction: "downlink",
      fPort: null,
      frame: null,
      data: { led: "green" },
      expected: { isError: false, data: null, frame: "01", fPort: 2 },
    },
  ]);
  expect(index.find(entries[2]?.entryId ?? "")?.source).toBe(
    thingsNetworkCollection["vendor/gusts/wind.js"] ?? "",
  );
  index.close();
});

test("reads ChirpStack's layout with the tests beside a codec", async () => {
  const { summary, index } = await fromFolder(chirpstackCollection);
  expect(summary).toMatchObject({ layouts: ["CHIRPSTACK"], entries: 1, vendors: 1, scripts: 1 });
  const [meter] = index.search("acme METER", ALL).entries;
  expect(meter).toMatchObject({
    vendor: "Acme",
    model: "Meter 3",
    description: "Counts",
    license: "The MIT License (MIT)",
    file: "vendors/acme/codecs/meter.js",
  });
  expect(meter?.examples.map(({ description, direction, frame }) => [description, direction, frame])).toEqual(
    [
      ["Counts to 21", "uplink", "15"],
      ["Sets 22", "downlink", null],
    ],
  );
  index.close();
});

test("takes scripts without descriptions by their folders and names", async () => {
  const { summary, index } = await fromFolder(plainCollection);
  expect(summary).toMatchObject({ layouts: ["FILES"], entries: 1 });
  expect(index.search("", ALL).entries[0]).toMatchObject({
    vendor: "Milk Sight",
    model: "EM300",
    license: null,
  });
  index.close();
});

test("finds every word of a search in any order and case, and pages", async () => {
  const { index } = await fromFolder({ ...thingsNetworkCollection, ...chirpstackCollection });
  const found = (text: string) => index.search(text, ALL).entries.map(({ model }) => model);
  expect(found("SÖHNE wind")).toEqual(["Wind Sensor"]);
  expect(found("wind acme")).toEqual([]);
  expect(found("%' OR 1=1")).toEqual([]);
  const page = index.search("", { limit: 2, offset: 1 });
  expect([page.total, page.entries.map(({ model }) => model)]).toEqual([4, ["Twin", "Twin"]]);
  index.close();
});

test("keeps the ids of devices when the collection is loaded again", async () => {
  const first = await fromFolder(thingsNetworkCollection);
  const ids = first.index.search("", ALL).entries.map(({ entryId }) => entryId);
  first.index.close();
  const second = await build("archive", archive(zipOf(thingsNetworkCollection, "")));
  expect(second.index.search("", ALL).entries.map(({ entryId }) => entryId)).toEqual(ids);
  second.index.close();
});

test("reads zip and tar.gz archives with a top folder", async () => {
  for (const bytes of [zipOf(thingsNetworkCollection), await tarOf(thingsNetworkCollection)]) {
    const { summary, index } = await build("archive", archive(bytes));
    expect(summary).toMatchObject({ layouts: ["THINGS_NETWORK"], entries: 3, skipped: 1 });
    index.close();
  }
});

test("refuses what is no archive, and archives that are cut off or damaged", async () => {
  const tar = await tarOf(thingsNetworkCollection);
  const zip = zipOf(thingsNetworkCollection);
  expect(await codeOf(build("archive", archive(Buffer.from("no archive"))))).toBe(
    "codec_index.archive_unknown",
  );
  expect(await codeOf(build("archive", archive(new Uint8Array())))).toBe("codec_index.archive_unknown");
  for (const bytes of [tar.subarray(0, tar.length / 2), Bun.gzipSync(Buffer.from("x".repeat(2_000)))])
    expect(await codeOf(build("archive", archive(bytes)))).toBe("codec_index.archive_unreadable");
  const cut = await codeOf(build("archive", archive(zip.subarray(0, zip.length / 3))));
  expect(["codec_index.archive_unreadable", "codec_index.no_codecs"]).toContain(cut);
  expect(existsSync(target)).toBe(false);
});

test("leaves out names that lead elsewhere, and links", async () => {
  const evil = {
    "../../evil.js": "function Decoder() {}",
    "/abs.js": "function Decoder() {}",
    "a\\b.js": "function Decoder() {}",
  };
  const link = { header: { name: "link.js", type: "symlink" as const, linkname: "/etc/passwd", size: 0 } };
  const archives = [
    zipOf({ ...evil, "good/fine.js": "function Decoder() {}" }, ""),
    await tarOf({ ...evil, "good/fine.js": "function Decoder() {}" }, [link], ""),
  ];
  for (const bytes of archives) {
    const { summary, index } = await build("archive", archive(bytes));
    expect(index.search("", ALL).entries.map(({ file }) => file)).toEqual(["good/fine.js"]);
    expect(summary.skipped).toBe(3);
    index.close();
  }
  expect(existsSync(join(directory, "..", "evil.js"))).toBe(false);
});

test("does not follow symbolic links of a folder", async () => {
  const folder = writeCollection(join(directory, "in"), plainCollection);
  writeFileSync(join(directory, "secret.js"), "function Decoder() {}");
  mkdirSync(join(directory, "other"));
  writeFileSync(join(directory, "other", "hidden.js"), "function Decoder() {}");
  symlinkSync(join(directory, "secret.js"), join(folder, "link.js"));
  symlinkSync(join(directory, "other"), join(folder, "linked"));
  const { index } = await build("folder", folder);
  expect(index.search("", ALL).entries.map(({ file }) => file)).toEqual(["Milk Sight/EM300.js"]);
  index.close();
});

test("stops archives that unpack to more than is allowed, whatever their headers say", async () => {
  const zeros = new Uint8Array(8 * MIB);
  const zip = zipSync({ "a.js": zeros, "b.js": zeros });
  const tar = Bun.gzipSync(
    await packTar([{ header: { name: "picture.png", size: zeros.length, type: "file" }, body: zeros }]),
  );
  // Pictures are read past, not kept until the end.
  const pictures = zipSync({ "a.png": zeros });
  // The sizes in the headers of the zip claim one byte.
  const lying = zip.slice();
  for (let offset = 0; offset < lying.length - 4; offset++)
    if (lying[offset] === 0x50 && lying[offset + 1] === 0x4b && lying[offset + 2] === 3)
      lying.set([1, 0, 0, 0], offset + 22);
  const unpack = (bytes: Uint8Array) => {
    const files = new CollectedFiles(new Database(":memory:"));
    return codeOf(collectArchive(archive(bytes), files, () => undefined, 4 * MIB));
  };
  for (const bytes of [zip, tar, pictures, lying])
    expect(await unpack(bytes)).toBe("codec_index.collection_too_large");
});

test("stops archives that unpack to a hundred times what was read, but for small ones", async () => {
  const zeros = new Uint8Array(16 * MIB);
  const unpack = (count: number) => {
    const entries = Array.from({ length: count }, (_, index) => [`${index}.png`, zeros] as const);
    const files = new CollectedFiles(new Database(":memory:"));
    return codeOf(collectArchive(archive(zipSync(Object.fromEntries(entries))), files, () => undefined));
  };
  expect(await unpack(6)).toBe("codec_index.archive_unreadable");
  expect(await unpack(3)).not.toBe("codec_index.archive_unreadable");
});

test("survives broken, deep and self-repeating descriptions", async () => {
  const laughs = `a: &a [x, x, x, x, x, x, x, x, x]\n${"bcdefghi"
    .split("")
    .map(
      (name, n) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${"abcdefghi"[n]}`).join(", ")}]`,
    )
    .join("\n")}\nendDevices: *i\n`;
  const { summary, index } = await fromFolder({
    ...chirpstackCollection,
    "vendor/index.yaml": "vendors:\n  - id: laughs\n  - id: deep\n  - id: [list]\n  - 7\n  - id: ../../..\n",
    "vendor/laughs/index.yaml": laughs,
    "vendor/deep/index.yaml": "[".repeat(50_000),
    "vendors/acme/codecs/test_decode_meter.json": `${"[".repeat(100_000)}`,
    "large.js": `//${"x".repeat(300 * 1024)}`,
  });
  expect(summary).toMatchObject({ layouts: ["CHIRPSTACK"], entries: 1 });
  expect(summary.skipped).toBeGreaterThanOrEqual(3);
  index.close();
});

const repeated = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join("");

/** Descriptions of up to 512 KiB that cost some parsers far more time or memory than their length, and whether they are skipped. */
test.each([
  ["flow maps in flow maps", `nested: ${"{".repeat(1_000)}${"}".repeat(1_000)}`, false],
  ["keys", repeated(40_000, (index) => `k${index}: 1\n`), false],
  ["aliases", `a: &a 1\n${repeated(40_000, (index) => `k${index}: *a\n`)}`, false],
  [
    "merged maps",
    `k0: &k0 { x: 1 }\n${repeated(10_000, (index) => `k${index + 1}: &k${index + 1} { <<: *k${index} }\n`)}`,
    true,
  ],
  ["anchors", repeated(60_000, (index) => `&a${index} `), true],
  ["brackets", "} ".repeat(200_000), true],
])("reads or skips a description with many %s", async (_, description, isSkipped) => {
  const { summary, index } = await fromFolder({
    ...thingsNetworkCollection,
    "vendor/empty/index.yaml": description,
  });
  expect([summary.entries, summary.skipped]).toEqual([3, isSkipped ? 2 : 1]);
  index.close();
});

test("refuses a collection without codecs, and a folder that is gone", async () => {
  expect(await codeOf(fromFolder({ "a.js": "var x;", "b.yaml": "x: 1" }))).toBe("codec_index.no_codecs");
  expect(await codeOf(build("folder", join(directory, "gone")))).toBe("codec_index.folder_unreadable");
});
