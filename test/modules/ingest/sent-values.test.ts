import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { storedKey, toBatchReadings, toReadings } from "../../../src/modules/ingest/readings.ts";
import type { Reading } from "../../../src/modules/telemetry/telemetry.types.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const TS = Date.parse("2026-01-01T00:00:00Z");

/** Readings of a body, and the keys that it notes as overwritten. */
function read(body: unknown): { readings: Reading[]; overwritten: string } {
  let overwritten = "";
  const note = {
    note: ({ params }: { params: { keys?: unknown } }) => {
      overwritten = String(params.keys);
    },
  };
  const isBatch = typeof body === "object" && body !== null && "items" in body;
  const readings = isBatch
    ? toBatchReadings(body as Record<string, unknown>, NOW, note as never)
    : toReadings(body, NOW, note as never);
  return { readings: readings.map(({ ts, values }) => ({ ts, values: { ...values } })), overwritten };
}

describe("values beside a container are not lost", () => {
  const rows: Array<[string, unknown, Reading[], string?]> = [
    ["ts and values", { ts: TS, values: { a: 1 }, battery: 77 }, [{ ts: TS, values: { battery: 77, a: 1 } }]],
    ["values alone", { values: { a: 1 }, battery: 77 }, [{ ts: NOW, values: { battery: 77, a: 1 } }]],
    ["telemetry", { telemetry: { t: 1 }, rssi: -70 }, [{ ts: NOW, values: { rssi: -70, t: 1 } }]],
    ["both containers", { values: { a: 1 }, telemetry: { b: 2 } }, [{ ts: NOW, values: { a: 1, b: 2 } }]],
    ["a payload", { payload: { ts: TS, a: 1 }, battery: 77 }, [{ ts: TS, values: { battery: 77, a: 1 } }]],
    ["a time beside a payload", { ts: TS, payload: { a: 1 } }, [{ ts: TS, values: { a: 1 } }]],
    [
      "a payload of another time",
      { ts: TS + 1, payload: { ts: TS, a: 1 }, b: 2 },
      [
        { ts: TS, values: { a: 1 } },
        { ts: TS + 1, values: { b: 2 } },
      ],
    ],
    [
      "the items of a batch",
      {
        items: [
          { ts: TS, telemetry: { a: 1 }, b: 2 },
          { ts: TS + 1, telemetry: { a: 3 } },
        ],
        c: 4,
      },
      [
        { ts: TS, values: { b: 2, a: 1 } },
        { ts: TS + 1, values: { a: 3 } },
        { ts: NOW, values: { c: 4 } },
      ],
    ],
    ["the same key inside and beside", { values: { a: 1 }, a: 2 }, [{ ts: NOW, values: { a: 1 } }], '"a"'],
    ["the same value twice", { values: { a: 1 }, a: 1 }, [{ ts: NOW, values: { a: 1 } }], ""],
    ["a container that is no object", { values: 3, a: 1 }, [{ ts: NOW, values: { values: 3, a: 1 } }]],
    ["null beside it", { values: { a: 1 }, b: null }, [{ ts: NOW, values: { a: 1 } }]],
  ];
  test.each(rows)("%s", (_, body, readings, overwritten = "") => {
    expect(read(body)).toEqual({ readings, overwritten });
  });

  test("items that overwrite one another are noted", () => {
    expect(read([{ t: 1 }, { t: 2 }, { t: 3 }]).overwritten).toBe('"t"');
    expect(read([{ t: 1 }, { t: 1 }, { u: 3 }]).overwritten).toBe("");
    expect(
      read([
        { ts: TS, t: 1 },
        { ts: TS + 1, t: 2 },
      ]).overwritten,
    ).toBe("");
    expect(
      read([
        { ts: TS, t: 1 },
        { ts: TS + 1, t: 2 },
        { ts: TS, t: 3 },
      ]).overwritten,
    ).toBe('"t"');
  });

  const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.string({ maxLength: 5 }));
  const time = fc.option(fc.integer({ min: TS, max: TS + 3 }), { nil: undefined });
  /** Bodies in which every leaf has a key of its own or one that others have, too. */
  const flat = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "x y", "values", "ü"), leaf, { maxKeys: 4 });
  const { body } = fc.letrec<{ body: unknown }>((tie) => ({
    body: fc.oneof(
      { maxDepth: 2 },
      flat,
      fc
        .tuple(
          flat,
          time,
          fc.constantFrom("values", "telemetry", "payload", "items"),
          fc.array(tie("body"), { maxLength: 3 }),
          flat,
        )
        .map(([beside, ts, name, items, inner]) => ({
          ...beside,
          ...(ts !== undefined && { ts }),
          [name]: name === "items" ? items : name === "payload" ? (items[0] ?? inner) : inner,
        })),
    ),
  }));

  /** Returns every value that a body says, in the order in which it stands, by key. */
  function sent(
    value: unknown,
    found: Array<[string, unknown]> = [],
    isWhole = true,
  ): Array<[string, unknown]> {
    for (const [key, inner] of Object.entries(value as Record<string, unknown>)) {
      if (key === "ts") continue;
      const isObject = typeof inner === "object" && inner !== null;
      if (isObject && !Array.isArray(inner) && ["values", "telemetry", "payload"].includes(key))
        sent(inner, found, key === "payload");
      else if (isWhole && key === "items" && Array.isArray(inner))
        for (const item of inner) sent(item, found);
      else found.push([key, inner]);
    }
    return found;
  }

  test("whatever the form, every value is in a reading or its key is noted", () => {
    fc.assert(
      fc.property(body, (value) => {
        const isNested = JSON.stringify(value).slice(1).includes('"items"');
        const values = sent(value);
        fc.pre(values.length > 0 && !isNested);
        const { readings, overwritten } = read(value);
        for (const [key, one] of values) {
          const isStored = readings.some((reading) => Object.is(reading.values[key], one));
          if (!isStored) expect(overwritten).toContain(JSON.stringify(key));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("every stored key can be named and shown", () => {
  test.each([
    ["\ud83d", "\ufffd"],
    ["a\ude00b", "a\ufffdb"],
    ["a\u0000b\n", "a\ufffdb\ufffd"],
    ["U L1,L2", "U L1,L2"],
    ["😀 °C", "😀 °C"],
  ])("%j is stored as %j", (key, stored) => {
    expect(toReadings({ [key]: 1 }, NOW)[0]?.values).toEqual({ [stored]: 1 });
    expect(toReadings({ [key]: { a: 1 } }, NOW)[0]?.values).toEqual({ [stored]: { a: 1 } });
  });

  test("whatever a device sends", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), fc.nat(20), (text, cut) => {
        const key = storedKey(text.slice(0, cut + 1));
        expect(() => encodeURIComponent(key)).not.toThrow();
        expect(/[\p{Cc}]/u.test(key)).toBe(false);
        if (!/[\p{Cc}\p{Cs}]/u.test(text)) expect(storedKey(text)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});
