import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { read, shown, utf16 } from "./history-rows-fixture.ts";

describe("a change of the clocks", () => {
  const zones = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Asia/Tehran",
  ];

  const clocks = new Map(
    zones.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }),
    ]),
  );
  /** What the clocks of a zone show. */
  const wallOf = (ts: number, timeZone: string) => clocks.get(timeZone)?.format(ts) ?? "";

  test("a file that the clocks of a zone wrote is read back, row by row, rising and falling", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2009, 0, 1) / 3_600_000, max: Date.UTC(2018, 0, 1) / 3_600_000 }),
        fc.constantFrom(5, 10, 15, 30, 60),
        fc.boolean(),
        async (timezone, hour, minutes, isFalling) => {
          // The clocks of Lord Howe go back by half an hour: an hourly file shows a time of it once, and only its first occurrence is read.
          fc.pre(!(timezone === "Australia/Lord_Howe" && minutes > 30));
          const times = Array.from({ length: 60 }, (_, index) => hour * 3_600_000 + index * minutes * 60_000);
          if (isFalling) times.reverse();
          const file = `ts,a\n${times.map((ts) => `${wallOf(ts, timezone)},1\n`).join("")}`;
          const { rows } = await read(file, { timezone });
          expect(rows.map((row) => ("error" in row ? row.error.code : row.ts))).toEqual(times);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("a file that begins or ends in an hour that comes twice is read back", async () => {
    const autumn = Date.UTC(2012, 10, 4, 5); // the first of two hours from 1:00 in New York
    for (let start = autumn; start < autumn + 2 * 3_600_000; start += 300_000)
      for (const times of [
        Array.from({ length: 40 }, (_, index) => start + index * 300_000),
        Array.from({ length: 40 }, (_, index) => start - index * 300_000),
      ]) {
        const file = `ts,a\n${times.map((ts) => `${wallOf(ts, "America/New_York")},1\n`).join("")}`;
        const { rows } = await read(file, { timezone: "America/New_York" });
        expect(rows.map((row) => ("error" in row ? row.error.code : row.ts))).toEqual(times);
      }
  });

  test("around each change of ten years", async () => {
    for (const timezone of zones)
      for (let day = Date.UTC(2009, 0, 1); day < Date.UTC(2019, 0, 1); day += 86_400_000) {
        const [before, after] = [
          wallOf(day, timezone).slice(11),
          wallOf(day + 86_400_000, timezone).slice(11),
        ];
        if (before === after) continue;
        const times = Array.from({ length: 31 * 4 }, (_, index) => day - 10_800_000 + index * 900_000);
        if ((day / 86_400_000) % 2 === 0) times.reverse();
        const file = `ts,a\n${times.map((ts) => `${wallOf(ts, timezone)},1\n`).join("")}`;
        const { rows } = await read(file, { timezone });
        expect(rows.map((row) => ("error" in row ? row.error.code : row.ts))).toEqual(times);
      }
  });
});

test("a file in any encoding and with any line ends is the same file", async () => {
  const letters = fc.constantFrom(..."abcäöüßÄé°µ".split("")); // apart: together some are UTF-8 in another reading
  const name = fc
    .array(letters, { minLength: 1, maxLength: 6 })
    .map((parts) => parts.map((part) => `${part}x`).join(""));
  const texts = fc
    .array(letters, { minLength: 1, maxLength: 8 })
    .map((parts) => parts.map((part) => `${part}-`).join(""));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(texts, fc.constantFrom("\n", "\r\n", "\r")), { minLength: 1, maxLength: 6 }),
      fc.constantFrom("utf8", "utf8-mark", "utf16le", "utf16be", "latin1"),
      fc.constantFrom(",", ";", "\t", "|"),
      fc.integer({ min: 1, max: 50 }),
      async (names, rows, encoding, delimiter, size) => {
        const lines = rows.map(([text, end], index) =>
          [new Date(Date.UTC(2024, 0, 1, index)).toISOString(), ...names.map(() => text)]
            .join(delimiter)
            .concat(end),
        );
        const file = `${["ts", ...names].join(delimiter)}\n${lines.join("")}`;
        const encoded = {
          utf8: () => Buffer.from(file),
          "utf8-mark": () => Buffer.from(`\ufeff${file}`),
          utf16le: () => utf16(file, false),
          utf16be: () => utf16(file, true),
          latin1: () => Buffer.from(file, "latin1"),
        }[encoding]();
        const expected = rows.map(
          ([text], index) =>
            `${new Date(Date.UTC(2024, 0, 1, index)).toISOString().replace(".000Z", "Z")} ${JSON.stringify(Object.fromEntries(names.map((key) => [key, text])))}`,
        );
        expect(await shown(encoded, {}, size)).toEqual(expected);
      },
    ),
    { numRuns: 1_000 },
  );
});
