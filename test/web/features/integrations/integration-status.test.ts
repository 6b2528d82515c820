import { beforeAll, expect, test } from "bun:test";
import { isWaiting, statusText } from "../../../../src/web/features/integrations/networks.ts";
import { loadLanguage } from "../../../../src/web/platform/i18n/i18n.ts";

type Running = Parameters<typeof statusText>[0];

const active = {
  status: "active",
  missing: null,
  bridge: null,
  stats: {
    received: 1,
    stored: 1,
    dropped: 0,
    failed: 0,
    sent: 0,
    lastMessageAt: "2026-11-23T05:00:00.000Z",
  },
} as const satisfies Running;
const silent = { ...active, stats: { ...active.stats, received: 0, lastMessageAt: null } };
const connecting = { ...active, bridge: { status: "connecting" } } as unknown as Running; // the rest is not read

beforeAll(() => loadLanguage("en"));

test("an integration is active once messages arrive, and waits until then", () => {
  expect([statusText(active), isWaiting(active)]).toEqual(["Active", false]);
  expect([statusText(silent), isWaiting(silent)]).toEqual(["No message yet", true]);
  expect(statusText({ ...silent, missing: "WEBHOOK_SECRET" })).toBe("No webhook secret yet");
  expect([statusText(connecting), isWaiting(connecting)]).toEqual(["Connecting …", true]);
  expect([statusText({ ...silent, status: "paused" }), isWaiting({ ...silent, status: "paused" })]).toEqual([
    "Paused",
    false,
  ]);
});
