import { describe, expect, test } from "bun:test";
import {
  createWeeklyWindow,
  WEEKDAYS,
  type Weekday,
  type WeeklyWindow,
} from "../../../src/lib/time/weekly-window.ts";

const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const create = (timezone: string, from: string, to: string, days: readonly Weekday[] = WEEKDAYS) =>
  createWeeklyWindow({ timezone, days: new Set(days), from: minutes(from), to: minutes(to) });

/** Every change within these days, as the window itself tells them. */
function changes(window: WeeklyWindow, from: string, days: number): string[] {
  const found: string[] = [];
  const end = Date.parse(from) + days * 86_400_000;
  let isOpen = window.isOpen(Date.parse(from));
  for (let timeMs = Date.parse(from); timeMs < end; timeMs += window.staysMs(timeMs)) {
    if (window.isOpen(timeMs) !== isOpen)
      found.push(`${window.isOpen(timeMs) ? "opens" : "closes"} ${iso(timeMs)}`);
    isOpen = window.isOpen(timeMs);
  }
  return found;
}
const iso = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 16);

describe("a window", () => {
  const rows: ReadonlyArray<[string, WeeklyWindow, string, string[]]> = [
    [
      "opens and closes on its days",
      create("UTC", "08:00", "17:00", ["MON"]),
      "2026-03-01T00:00Z",
      ["opens 2026-03-02T08:00", "closes 2026-03-02T17:00"],
    ],
    [
      "goes on over midnight into the next day",
      create("UTC", "22:00", "06:00", ["SUN"]),
      "2026-03-01T12:00Z",
      ["opens 2026-03-01T22:00", "closes 2026-03-02T06:00"],
    ],
    [
      "lasts to the end of the day",
      create("UTC", "20:00", "24:00", ["SUN"]),
      "2026-03-01T12:00Z",
      ["opens 2026-03-01T20:00", "closes 2026-03-02T00:00"],
    ],
    [
      "is by the clocks of its place",
      create("Asia/Kathmandu", "08:00", "09:00", ["MON"]),
      "2026-03-01T00:00Z",
      ["opens 2026-03-02T02:15", "closes 2026-03-02T03:15"],
    ],
    [
      "that begins in the gap of spring opens when the gap ends",
      create("Europe/Berlin", "02:30", "04:00", ["SUN"]),
      "2026-03-28T12:00Z",
      ["opens 2026-03-29T01:00", "closes 2026-03-29T02:00"],
    ],
    [
      "that ends in the gap closes when the gap ends",
      create("Europe/Berlin", "01:00", "02:30", ["SUN"]),
      "2026-03-28T12:00Z",
      ["opens 2026-03-29T00:00", "closes 2026-03-29T01:00"],
    ],
    [
      "that lies in the gap does not open",
      create("Europe/Berlin", "02:10", "02:50", ["SUN"]),
      "2026-03-28T12:00Z",
      [],
    ],
    [
      "that begins in the doubled hour of autumn opens the first time",
      create("Europe/Berlin", "02:30", "04:00", ["SUN"]),
      "2026-10-24T12:00Z",
      ["opens 2026-10-25T00:30", "closes 2026-10-25T03:00"],
    ],
    [
      "that ends in the doubled hour closes the first time",
      create("Europe/Berlin", "01:00", "02:30", ["SUN"]),
      "2026-10-24T12:00Z",
      ["opens 2026-10-24T23:00", "closes 2026-10-25T00:30"],
    ],
    [
      "over the night of the change is as long as the night",
      create("Europe/Berlin", "22:00", "06:00", ["SAT"]),
      "2026-10-24T12:00Z",
      ["opens 2026-10-24T20:00", "closes 2026-10-25T05:00"],
    ],
    [
      "whose midnight is left out opens at one",
      create("America/Santiago", "00:00", "03:00", ["SUN"]),
      "2026-09-05T12:00Z",
      ["opens 2026-09-06T04:00", "closes 2026-09-06T06:00"],
    ],
    [
      "on a day that the place left out does not open",
      create("Pacific/Apia", "08:00", "09:00", ["FRI"]),
      "2011-12-29T20:00Z",
      [],
    ],
  ];
  for (const [name, window, from, meant] of rows)
    test(name, () => expect(changes(window, from, 2)).toEqual(meant));

  test("from a time to the same one is a whole day, however long the day is", () => {
    const window = create("Europe/Berlin", "06:00", "06:00");
    for (
      let timeMs = Date.parse("2026-03-27T00:00Z");
      timeMs < Date.parse("2026-03-31T00:00Z");
      timeMs += 60_000
    )
      expect(window.isOpen(timeMs)).toBe(true);
  });

  test("is asked in any order", () => {
    const window = create("UTC", "08:00", "09:00");
    for (const hour of [8, 7, 8, 23, 0, 8]) {
      const timeMs = Date.parse(`2026-03-02T${String(hour).padStart(2, "0")}:30:00Z`);
      expect([hour, window.isOpen(timeMs)]).toEqual([hour, hour === 8]);
    }
  });
});

test("minute by minute, a window and its opposite never overlap and leave nothing out, and tell truly how long they stay", () => {
  const zones = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Asia/Kathmandu",
  ];
  const times = ["00:00", "00:30", "01:45", "02:00", "02:15", "02:59", "03:00", "23:30"];
  for (const zone of zones)
    for (const [index, from] of times.entries()) {
      const to = times[(index + 3) % times.length] ?? "";
      const [window, opposite] = [create(zone, from, to), create(zone, to, from)];
      for (const start of ["2026-03-28T12:00Z", "2026-04-04T10:00Z", "2026-10-24T18:00Z"]) {
        let until = 0;
        let isOpen = false;
        for (let timeMs = Date.parse(start); timeMs < Date.parse(start) + 86_400_000; timeMs += 60_000) {
          if (timeMs >= until) [isOpen, until] = [window.isOpen(timeMs), timeMs + window.staysMs(timeMs)];
          if (window.isOpen(timeMs) !== isOpen || opposite.isOpen(timeMs) === isOpen)
            throw new Error(`${zone} ${from}–${to} at ${iso(timeMs)}`);
        }
        expect(until).toBeGreaterThan(Date.parse(start));
      }
    }
});
