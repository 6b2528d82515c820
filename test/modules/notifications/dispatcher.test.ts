import { expect, test } from "bun:test";
import { Dispatcher } from "../../../src/modules/notifications/dispatcher.ts";
import {
  type Flow,
  notificationDefaults,
  type QueuedNotification,
} from "../../../src/modules/notifications/notifications.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

type Deps = ConstructorParameters<typeof Dispatcher>[0];

const userOf = (number: number) => ({
  userId: `user ${number}`,
  tenantId: "site",
  email: `${number}@plant.example`,
  fullName: `${number}`,
  status: "ACTIVE",
  confirmedAt: 1,
  notificationsEmailEnabled: true,
  notificationsMessagingEnabled: false,
  notificationPhone: "",
  notificationEscalationLevel: 1,
  notificationSeverities: ["CRITICAL"],
  notifyOnAlarmCreated: true,
});

/** A dispatcher with some users and waiting notifications. Counts the mails of each transaction. */
function dispatcherOf(users: number, waiting: QueuedNotification[]) {
  const flows = new Map<string, Flow>();
  const mails: number[] = [];
  const deps = {
    repository: {
      listNotifications: (limit: number) => waiting.slice(0, limit),
      deleteNotifications: (upTo: number) => {
        while (waiting[0] !== undefined && waiting[0].sequence <= upTo) waiting.shift();
      },
      saveNotifiedUpTo: (sequence: number, notifiedUpTo: string) => {
        const index = waiting.findIndex((item) => item.sequence === sequence);
        waiting[index] = { ...(waiting[index] as QueuedNotification), notifiedUpTo };
      },
      findFlow: ({ recipientId }: Flow) => flows.get(recipientId),
      saveFlow: (flow: Flow) => void flows.set(flow.recipientId, flow),
      listEnded: () => [],
      nextEnd: () => undefined,
      capDueTimes: () => undefined,
    },
    users: {
      listOf: () => Array.from({ length: users }, (_, number) => userOf(number)),
      visibleDevices: () => "all",
    },
    messengers: { listOf: () => [] },
    notifier: { mailLine: () => void mails.push((mails.pop() ?? 0) + 1) },
    canMail: () => true,
    takeMailRoom: () => true,
    settingsOf: () => ({ ...notificationDefaults, digestAfter: 1_000 }),
    deviceNameOf: () => "pump",
    recipientIdsOf: () => undefined,
    noteNotified: () => undefined,
    transact: (work: () => void) => {
      mails.push(0);
      work();
    },
    clock: new FakeClock(),
    now: () => 0,
    events: { on: () => undefined },
    log: createLogger("test"),
  } as unknown as Deps; // what this test needs of them
  return { dispatcher: new Dispatcher(deps), mails, flows };
}

const notification = (sequence: number) =>
  ({
    sequence,
    tenantId: "site",
    alarmId: `alarm ${sequence}`,
    deviceId: "device",
    trigger: "CREATED",
    severity: "CRITICAL",
    formerSeverity: null,
    level: 1,
    alarmType: "Overheated",
    message: "",
    messageParts: null,
    cause: null,
    at: 0,
    notifiedUpTo: "",
  }) as unknown as QueuedNotification;

test("alarms that come together notify some recipients at a time, each once", async () => {
  const waiting = Array.from({ length: 120 }, (_, sequence) => notification(sequence + 1));
  const { dispatcher, mails, flows } = dispatcherOf(40, waiting);
  dispatcher.start();
  await until(() => waiting.length === 0);
  await dispatcher.stop();
  expect(mails.reduce((sum, count) => sum + count, 0)).toBe(120 * 40);
  expect(Math.max(...mails)).toBeLessThanOrEqual(150);
  expect([...flows.values()].every(({ sent }) => sent === 120)).toBe(true);
});

test("one alarm notifies a thousand recipients some at a time, each once", async () => {
  const waiting = [notification(1), notification(2)];
  const { dispatcher, mails, flows } = dispatcherOf(1_000, waiting);
  dispatcher.start();
  await until(() => waiting.length === 0);
  await dispatcher.stop();
  expect(mails.reduce((sum, count) => sum + count, 0)).toBe(2_000);
  expect(Math.max(...mails)).toBeLessThanOrEqual(150);
  expect([...flows.values()].every(({ sent }) => sent === 2)).toBe(true);
  expect(flows.size).toBe(1_000);
});
