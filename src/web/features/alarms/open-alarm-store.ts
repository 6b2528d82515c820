import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import { type WorstAlarm, worstAlarms } from "../../../lib/alarms/worst-alarms.ts";
import { coalesced } from "../../platform/coalesce.ts";
import { useLive } from "../../platform/live.ts";
import { loadPart } from "../../platform/load-part.ts";
import { serverNow } from "../../platform/now.ts";
import { titlePrefix } from "../../platform/title.ts";
import { alarmsApi, type OpenAlarms } from "./alarms-api.ts";

interface OpenAlarmState {
  readonly unacknowledged: number;
  /** Severity of the most severe open alarm of the site. */
  readonly worst: AlarmSeverity | undefined;
  /** Most severe alarm by device id; for a gateway including its children. */
  readonly worstOf: ReadonlyMap<string, WorstAlarm>;
}

/** @param devices sorted, most severe first */
const toOpenAlarmState = (devices: readonly OpenAlarms[]): OpenAlarmState => ({
  unacknowledged: devices.reduce((total, { unacknowledged }) => total + unacknowledged, 0),
  worst: devices[0]?.severity,
  worstOf: worstAlarms(devices),
});

/** Open alarms of the site; undefined until they are loaded. */
export const openAlarms = signal<OpenAlarmState | undefined>(undefined);

const GATHER_MS = 500;
const RAISED: ReadonlySet<string> = new Set(["CREATED", "REOPENED"]);

/** Updates `openAlarms` and the title of the window while a user is signed in. */
export function useOpenAlarms(): void {
  const reload = useMemo(() => {
    let newest = 0;
    const load = () => {
      const mine = ++newest;
      alarmsApi.open().then(
        (devices) => {
          if (mine === newest) openAlarms.value = toOpenAlarmState(devices);
        },
        () => undefined, // the next message asks again, and each screen shows its own errors
      );
    };
    return { now: load, soon: coalesced(load, GATHER_MS) };
  }, []);
  // Not part of the first load.
  const missed = useMemo(
    () => loadPart(() => import("./missed-alarms.ts")).then(({ MissedAlarms }) => new MissedAlarms()),
    [],
  );
  useEffect(() => {
    reload.now();
    return () => {
      missed.then((alarms) => alarms.stop());
      openAlarms.value = undefined;
    };
  }, []);
  useLive({ topics: ["alarms", "devices"] }, (message) => {
    if (message.type === "snapshot") missed.then((alarms) => alarms.onSnapshot());
    const isDevice = message.type === "data" && message.topic === "devices";
    if (isDevice && (message.event === "state" || message.event === "created")) return;
    reload.soon();
    if (message.type !== "data" || message.topic !== "alarms" || !RAISED.has(message.event)) return;
    const { name, updatedAt } = message;
    const text = message.message === name ? "" : message.message;
    const raisedAt = updatedAt === null ? serverNow() : Date.parse(updatedAt);
    missed.then((alarms) => alarms.tell({ ...message, message: text }, raisedAt));
  });
  const waiting = openAlarms.value?.unacknowledged ?? 0;
  useEffect(() => {
    titlePrefix.value = waiting === 0 ? "" : `(${waiting}) `;
    return () => {
      titlePrefix.value = "";
    };
  }, [waiting]);
}
