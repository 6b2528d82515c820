import { afterAll, expect, test } from "bun:test";
import { eventText } from "../../src/web/features/alarms/event-text.ts";
import { loadLanguage } from "../../src/web/platform/i18n/i18n.ts";
import { language } from "../../src/web/platform/preferences.ts";

await loadLanguage("en");
await loadLanguage("de");

const before = language.value;
afterAll(() => {
  language.value = before;
});

const told = {
  eventType: "NOTIFIED",
  message: "CREATED: e-mail to a@b.example, message to Eva (gathered) and 3 more",
} as const;

test("who was told is said with the occasion in words", () => {
  language.value = "en";
  expect(eventText(told)).toBe("Raised: e-mail to a@b.example, message to Eva (gathered) and 3 more");
  language.value = "de";
  expect(eventText(told)).toBe(
    "Ausgelöst: E-Mail an a@b.example, Nachricht an Eva (gesammelt) und 3 weitere",
  );
});

test("what the gateway writes is German in German; what people and rules write stays", () => {
  language.value = "de";
  expect(eventText({ eventType: "ESCALATED", message: "Level 1 → 3" })).toBe("Stufe 1 → 3");
  expect(eventText({ eventType: "ACK", message: "Acknowledged by eva@b.example" })).toBe(
    "Quittiert von eva@b.example",
  );
  expect(eventText({ eventType: "CLEARED", message: "Cleared by API $1" })).toBe("Beendet von API $1");
  expect(eventText({ eventType: "COMMENT", message: "Cleared by Eva" })).toBe("Cleared by Eva");
  expect(eventText({ eventType: "CREATED", message: "Level 1 → 2" })).toBe("Level 1 → 2");
  language.value = "en";
  expect(eventText({ eventType: "ESCALATED", message: "Level 1 → 3" })).toBe("Level 1 → 3");
});
