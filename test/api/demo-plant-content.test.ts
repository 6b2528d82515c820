// What the demo plant creates: names in the language of the user who starts it, units, and key figures on the overview.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { KeyMetadata } from "../../src/lib/keys/key-metadata.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
beforeAll(async () => {
  fixture = await createTestApp();
});
afterAll(() => fixture.stop());

/** Starts a plant of a tenant of its own in a language, and removes it after everything of it was read. */
async function startIn(language: string, tenant: string) {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant });
  const get = async (path: string) => (await fixture.call("GET", path, { token })).body;
  const headers = { "accept-language": language };
  const { body } = await fixture.call("POST", "/api/demo-plant/start", { token, headers });
  const devices = (await get("/api/devices?limit=50")) as Record<string, unknown>[];
  const listed = (await get("/api/device-profiles")) as { profileId: string; name: string }[];
  const own = listed.filter(({ name }) => name !== "default");
  const profiles = (await Promise.all(
    own.map(({ profileId }) => get(`/api/device-profiles/${profileId}`)),
  )) as { name: string; keyMetadata: KeyMetadata[] }[];
  const board = await get(`/api/dashboards/${body.dashboardId}`);
  const overview = await get("/api/overview");
  await fixture.call("DELETE", "/api/demo-plant", { token });
  return { devices, profiles, board, overview };
}
type Plant = Awaited<ReturnType<typeof startIn>>;

const TEXT_FIELDS = ["name", "message", "label", "alarmType", "deviceType", "tags"];

/** Returns all texts for people: names, messages, labels and types. */
function textsOf({ devices, profiles, board }: Plant): string[] {
  const texts: string[] = [];
  const collect = (value: unknown, field = ""): void => {
    if (Array.isArray(value)) for (const item of value) collect(item, field);
    else if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value)) collect(inner, name);
    else if (typeof value === "string" && TEXT_FIELDS.includes(field)) texts.push(value);
  };
  collect([devices, profiles, board]);
  return texts;
}

test("everything is German for somebody who reads German, and English for anybody else", async () => {
  const german = await startIn("de-AT, en;q=0.5", "german");
  const english = await startIn("en", "english");
  const french = await startIn("fr", "french");
  const names = ({ devices }: Plant) => devices.map(({ name }) => name).sort();
  expect(names(german)).toContain("Förderband 1");
  expect(names(german)).toContain("Gateway Linie 2");
  expect(names(french)).toEqual(names(english));
  expect(german.board.name).toBe("Demo-Werk");
  const englishTexts = new Set(textsOf(english));
  expect(englishTexts).toContain("Demo oven");
  const isSame = (text: string) => englishTexts.has(text);
  expect([...new Set(textsOf(german).filter(isSame))].sort()).toEqual([
    "CO₂",
    "Vibration",
    "Zone 1",
    "Zone 2",
    "Zone 3",
    "demo-plant",
    "gateway",
  ]);
});

test("every value that a device sends has a name, and every number a unit", async () => {
  const { devices, profiles } = await startIn("en", "named");
  expect(new Set(devices.map(({ deviceType }) => deviceType)).size).toBe(profiles.length);
  for (const { name, keyMetadata } of profiles) {
    expect([name, keyMetadata.length > 0]).toEqual([name, true]);
    for (const { key, name: keyName = key, unit, kind } of keyMetadata) {
      expect(keyName).not.toBe(key);
      if (kind === "gauge") expect([key, unit]).toEqual([key, expect.any(String)]);
    }
  }
});

test("the overview shows four key figures of the plant, unless somebody has removed them", async () => {
  const { devices, overview } = await startIn("en", "pinning");
  const nameOf = (id: string) => devices.find(({ deviceId }) => deviceId === id)?.name;
  const pins = overview.pins as { deviceId: string; key: string }[];
  expect(pins.map(({ deviceId, key }) => [nameOf(deviceId), key])).toEqual([
    ["Meter 1", "power"],
    ["Compressor 1", "pressure"],
    ["Press 1", "temperature"],
    ["Oven 1", "zone1"],
  ]);
  // The pins of a plant that was removed are replaced.
  expect((await startIn("en", "pinning")).overview.pins).toHaveLength(4);
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "pinning" });
  await fixture.call("PUT", "/api/overview/pins", { token, body: { pins: [] } });
  expect((await startIn("en", "pinning")).overview.pins).toEqual([]);
});

test("pins nothing for somebody who may not pin values", async () => {
  const { token } = await fixture.signIn("TENANT_RW", { tenant: "writing" });
  await fixture.call("POST", "/api/demo-plant/start", { token });
  expect((await fixture.call("GET", "/api/overview", { token })).body.pins).toEqual([]);
});
