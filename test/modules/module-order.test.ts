import { expect, test } from "bun:test";
import { ensureComplete } from "../../src/app/modules.ts";

const alarms = { parts: [] };
const notes = { routes: () => [] };

test("an order has each module with routes or parts once", () => {
  ensureComplete([notes, alarms], { alarms, notes, users: { service: {} } });
  expect(() => ensureComplete([alarms], { alarms, notes })).toThrow("once: notes");
  expect(() => ensureComplete([alarms, notes, alarms], { alarms, notes })).toThrow("once: alarms");
});
