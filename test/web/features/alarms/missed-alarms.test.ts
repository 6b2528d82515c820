import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import * as alerts from "../../../../src/web/features/alarms/alarm-alerts.ts";
import { alarmsApi } from "../../../../src/web/features/alarms/alarms-api.ts";
import { MissedAlarms } from "../../../../src/web/features/alarms/missed-alarms.ts";

const BEGIN = Date.parse("2026-03-02T08:00:00Z");
const spies: { mockRestore: () => void }[] = [];
let told: string[] = [];
/** What the API answers; undefined while it is out of service. Alarm id → seconds after the begin. */
let raised: Record<string, number> | undefined = {};

const timeAt = (seconds: number) => BEGIN + seconds * 1_000;

beforeEach(() => {
  jest.useFakeTimers();
  told = [];
  raised = {};
  const list = async () => {
    if (raised === undefined) throw new Error("503");
    const rows = Object.entries(raised).map(([alarmId, seconds]) => ({
      alarmId,
      name: alarmId,
      message: alarmId,
      raisedAt: new Date(timeAt(seconds)).toISOString(),
    }));
    return { rows, total: rows.length };
  };
  spies.push(
    spyOn(alerts, "tellOfAlarm").mockImplementation(({ alarmId }) => void told.push(alarmId)),
    spyOn(alarmsApi, "list").mockImplementation(list as unknown as typeof alarmsApi.list),
  );
});
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore();
  jest.useRealTimers();
});

async function startAt(seconds: number): Promise<MissedAlarms> {
  const missed = new MissedAlarms(() => 0);
  jest.setSystemTime(timeAt(seconds));
  await missed.onSnapshot();
  return missed;
}
const tell = (missed: MissedAlarms, alarmId: string, seconds: number) =>
  missed.tell({ alarmId, name: alarmId, message: "" }, timeAt(seconds));

async function snapshotAt(missed: MissedAlarms, seconds: number): Promise<void> {
  jest.setSystemTime(timeAt(seconds));
  await missed.onSnapshot();
}

test("alarms of the time without a connection are told once, older ones never", async () => {
  raised = { old: -5, missed: 20 };
  const missed = await startAt(0);
  expect(told).toEqual([]);
  await snapshotAt(missed, 30);
  await snapshotAt(missed, 40);
  expect(told).toEqual(["missed"]);
});

test("an alarm left out before one that was told live is told as well, and the other not again", async () => {
  const missed = await startAt(0);
  tell(missed, "live", 20);
  raised = { live: 20, leftOut: 10 };
  await snapshotAt(missed, 30);
  expect(told).toEqual(["live", "leftOut"]);
});

test("an alarm that was told and is raised again counts as a new one", async () => {
  const missed = await startAt(0);
  tell(missed, "hot", 10);
  raised = { hot: 20 };
  await snapshotAt(missed, 30);
  expect(told).toEqual(["hot", "hot"]);
});

test("a list that fails is asked for again, from the same time, until it arrives", async () => {
  const missed = await startAt(0);
  raised = undefined;
  await snapshotAt(missed, 30);
  await snapshotAt(missed, 60);
  tell(missed, "live", 61);
  expect(jest.getTimerCount()).toBe(1);
  raised = { live: 61, missed: 20 };
  jest.advanceTimersByTime(60_000);
  jest.useRealTimers();
  await Bun.sleep(0);
  expect(told).toEqual(["live", "missed"]);
});

test("nothing is asked for after the end", async () => {
  const missed = await startAt(0);
  raised = undefined;
  await snapshotAt(missed, 30);
  missed.stop();
  expect(jest.getTimerCount()).toBe(0);
});

test("a long time of many alarms is kept within bounds, and none of them is told twice", async () => {
  const missed = await startAt(0);
  const many = Array.from({ length: 1_500 }, (_, n) => n + 1);
  for (const n of many) tell(missed, `a${n}`, n);
  raised = Object.fromEntries(many.map((n) => [`a${n}`, n]));
  await snapshotAt(missed, 2_000);
  expect(told).toHaveLength(many.length);
});
