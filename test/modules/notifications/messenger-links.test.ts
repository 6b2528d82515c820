import { expect, test } from "bun:test";
import { ALARM_SEVERITIES, type AlarmSeverity } from "../../../src/lib/alarms/severity.ts";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { createMessengerNotifier } from "../../../src/modules/notifications/messenger-notifier.ts";
import type { Messenger } from "../../../src/modules/notifications/messengers.resource.ts";
import type { MessengerKind } from "../../../src/modules/notifications/messengers.types.ts";
import type { OutboundRequest } from "../../../src/modules/outbound/outbound.types.ts";

const messengerOf = (kind: MessengerKind, language: "en" | "de"): Messenger => ({
  messengerId: "m",
  tenantId: "t" as TenantId,
  name: "Shift",
  kind,
  isEnabled: true,
  ruleScope: "ALL",
  language,
  severities: ["CRITICAL"],
  triggers: ["CREATED"],
  fields: { server: "https://server.example", chatId: "1", topic: "a" },
  target: { url: "https://server.example", headers: {} },
  createdAt: 0,
  updatedAt: 0,
});
const line = {
  alarmId: "a1",
  trigger: "CREATED",
  severity: "CRITICAL",
  level: 1,
  alarmType: "Hot",
  deviceName: "Oven",
  message: "",
  at: "2026-03-01T00:00:00Z",
} as const;

/** Returns the body of the message that a messenger gets. */
function bodyFor(
  kind: MessengerKind,
  language: "en" | "de",
  alarmsUrl: string | undefined,
  severity: AlarmSeverity = "CRITICAL",
) {
  const sent: OutboundRequest[] = [];
  const outbound = {
    enqueue: (requests: readonly OutboundRequest[]) => void sent.push(...requests),
    sendNow: () => Promise.reject(new Error("is not called")),
  };
  createMessengerNotifier({ outbound, alarmsUrl }).sendLine(messengerOf(kind, language), {
    ...line,
    severity,
  });
  return JSON.parse(sent[0]?.body ?? "");
}

const CONSOLE = "https://plant.example/alarms";
const LINK = `${CONSOLE}/a1`;
const withLink: ReadonlyArray<readonly [MessengerKind, unknown]> = [
  ["TELEGRAM", { text: `Critical: Hot, Oven\n${LINK}` }],
  ["SLACK", { text: `Critical: Hot, Oven\n<${LINK}|Open alarm>` }],
  ["NTFY", { click: LINK, priority: 5 }],
  ["GOTIFY", { extras: { "client::notification": { click: { url: LINK } } } }],
  [
    "TEAMS",
    { attachments: [{ content: { actions: [{ type: "Action.OpenUrl", title: "Open alarm", url: LINK }] } }] },
  ],
];
test.each(withLink)("%s links to the alarm", (kind, body) => {
  expect(bodyFor(kind, "en", CONSOLE)).toMatchObject(body as object);
});

test("the words are in the language of the messenger", () => {
  expect(bodyFor("SLACK", "de", CONSOLE)).toEqual({ text: `Kritisch: Hot, Oven\n<${LINK}|Alarm öffnen>` });
});

test.each(withLink)("%s has no link if the gateway does not know its address", (kind) => {
  expect(JSON.stringify(bodyFor(kind, "en", undefined))).not.toMatch(/plant\.example|actions|click/);
});

test("of all severities, Teams shows only CRITICAL in red", () => {
  const colorOf = (severity: AlarmSeverity) =>
    bodyFor("TEAMS", "en", CONSOLE, severity).attachments[0].content.body[0].color;
  expect(ALARM_SEVERITIES.filter((severity) => colorOf(severity) === "Attention")).toEqual(["CRITICAL"]);
});
