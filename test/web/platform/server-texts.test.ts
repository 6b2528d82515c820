import { afterAll, describe, expect, test } from "bun:test";
import { type DomainError, detail, invalid } from "../../../src/lib/core/domain-error.ts";
import { catalogues } from "../../../src/lib/texts/catalogues.ts";
import type { Text } from "../../../src/lib/texts/text.ts";
import { mistakeText } from "../../../src/web/features/device-import/mistake-text.ts";
import { ApiError } from "../../../src/web/platform/api-client.ts";
import { codeLabel, serverPhrase, serverText } from "../../../src/web/platform/i18n/error-texts.ts";
import { loadLanguage } from "../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../src/web/platform/preferences.ts";
import { errorText, fieldProblem } from "../../../src/web/ui/page/error-text.ts";

await loadLanguage("en");
await loadLanguage("de");

const before = language.value;
afterAll(() => {
  language.value = before;
});

const response = ({ code, params, message }: DomainError, status = 400) =>
  new ApiError(status, message, undefined, { code, params });

describe("an error of the server", () => {
  test("is said in the reader's language", () => {
    const error = response(invalid("plan.users_limit", { limit: 3 }));
    language.value = "de";
    expect(errorText(error)).toBe(
      "Der Tarif dieses Standorts erlaubt 3 Benutzer. Löschen Sie einen, oder wählen Sie einen anderen Tarif.",
    );
    language.value = "en";
    expect(errorText(error)).toBe(
      "The plan of this site allows 3 users. Delete one, or select another plan.",
    );
  });

  test("separates the thousands of counts", () => {
    const fault = { code: "fault.readings_not_evaluated", params: { changes: 1_000, count: 12_345 } };
    for (const [id, changes, count] of [
      ["en", "1,000", "12,345"],
      ["de", "1.000", "12.345"],
    ] as const) {
      language.value = id;
      expect(serverText(fault)).toContain(` ${changes} `);
      expect(serverText(fault)).toContain(count);
    }
  });

  test("names times as people read them, also within other texts", () => {
    const updatedAt = "2026-11-28T12:30:00.000Z";
    const outdated = { code: "request.outdated", params: { updatedAt } };
    for (const [id, day] of [
      ["en", "28 Nov 2026"],
      ["de", "28.11.2026"],
    ] as const) {
      language.value = id;
      for (const text of [outdated, detail("integration.topic_pattern", { reason: outdated })]) {
        expect(serverText(text)).toContain(day);
        expect(serverText(text)).not.toContain(updatedAt);
      }
    }
    language.value = "en";
  });

  test("of a newer server is said as the server says it", () => {
    expect(errorText(new ApiError(400, "something new", undefined, { code: "x.new", params: {} }))).toBe(
      "Something new.",
    );
  });

  test("belongs to the field that it names, without the name", () => {
    language.value = "de";
    const error = response(invalid("branding.invalid", { field: "logo", rule: detail("rule.logo_image") }));
    expect(fieldProblem(error, ["name", "logo"])).toEqual({
      field: "logo",
      text: "Ist kein Bild, das sich zeigen lässt, oder ein SVG mit Skripten oder Verweisen nach außen.",
    });
    expect(fieldProblem(error, ["name"])).toBeUndefined();
  });

  test.each([
    ["refusal.password_wrong", "Das Passwort ist falsch."],
    ["fault.mqtt_packet_too_large", "Ein Paket mit … Bytes ist größer als die erlaubten … Bytes."],
    ["fault.uplink_stalled", "Der Uplink kann nicht senden."],
    ["request.invalid", "request.invalid"],
    ["x.new", "x.new"],
  ])("labels %s without its parameters", (code, label) => {
    language.value = "de";
    expect(codeLabel(code)).toBe(label);
  });

  test("belongs to the field of its code", () => {
    language.value = "en";
    expect(fieldProblem(response(invalid("device.child_name_taken")), ["childName"])).toEqual({
      field: "childName",
      text: "Is the name of another child device of this gateway. Select another name.",
    });
  });
});

test("an alarm's history is German in a German console, but for what people write", () => {
  const notified: Text = detail("alarm_event.notified_more", {
    occasion: detail("alarm_occasion.CREATED"),
    ways: [
      detail("notification_way.email", { to: "a@b.example" }),
      detail("notification_way.messaging_digest", { to: "Eva" }),
    ],
    count: 3,
  });
  language.value = "de";
  expect(serverPhrase(notified)).toBe(
    "Ausgelöst: E-Mail an a@b.example, Nachricht an Eva (gesammelt) und 3 weitere",
  );
  expect(serverPhrase(detail("alarm_event.condition_over"))).toBe("Die Bedingung trifft nicht mehr zu");
  expect(serverPhrase(detail("alarm_event.acknowledged", { by: "eva@b.example" }))).toBe(
    "Quittiert von eva@b.example",
  );
  expect(serverPhrase(detail("alarm_event.message", { message: "Cleared by Eva" }))).toBe("Cleared by Eva");
  language.value = "en";
  expect(serverPhrase(detail("alarm_event.escalated", { from: 1, to: 3 }))).toBe("Level 1 → 3");
});

test("every code of the server has a text in every language of the console", () => {
  for (const [tested, catalogue] of [
    ["en", catalogues.en],
    ["de", catalogues.de],
  ] as const) {
    language.value = tested;
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(catalogues.en).sort());
    const without = Object.keys(catalogues.en).filter(
      (code) => serverText({ code, params: {} }, "no text") === "No text.",
    );
    expect(without).toEqual([]);
  }
});

test("an error of a row names its column once", () => {
  language.value = "en";
  const mistakeOf = (code: string, params: Record<string, string>) =>
    mistakeText({ field: "name", code, params, message: code });
  expect(mistakeOf("profile.param_twice", { field: "name" })).toBe(
    '"name" has the same name as another entry.',
  );
  expect(mistakeOf("rule.twice", {})).toBe('"name" occurs twice.');
});
