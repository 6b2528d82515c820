// Alarms, commands and notes of the devices of a chart. Charts that show the same devices and time share what was loaded.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Annotation } from "../../lib/annotations.ts";
import type { RealtimeMessage } from "../../lib/realtime-types.ts";
import { coalesced } from "../../platform/coalesce.ts";
import { formatCount, formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { live } from "../../platform/live.ts";
import { darkNow, language, readStored, writeStored } from "../../platform/preferences.ts";
import { shareToken } from "../../platform/session.ts";
import { themeColor } from "../../ui/chart/line-style.ts";
import { severityColor } from "../../ui/state/severity-colors.ts";
import { type DeviceHistory, loadHistory, type RaisedAlarm } from "./annotations-api.ts";
import type { Note } from "./notes-api.ts";

const STORED_AS = "lineside.annotations";
/** Max. devices of a chart with annotations. With more, their devices would be unclear. */
const DEVICES_MAX = 10;
/** Share and min. duration of a move after which a moving window is loaded again. */
const STEP_SHARE = 0.25;
const STEP_MS_MIN = 60_000;
const CACHED_MAX = 500;
/** Max. characters of a note on a chart. The rest is in the history of its device. */
const NOTE_CHARACTERS_MAX = 200;

/** Whether charts show alarms, commands and notes; stored in the browser. */
export const showsAnnotations = signal(readStored(STORED_AS) !== "off");

export function setShowsAnnotations(isOn: boolean): void {
  showsAnnotations.value = isOn;
  writeStored(STORED_AS, isOn ? undefined : "off");
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** Max. simultaneous loads, so that a wall of many devices keeps connections free for its values. */
const LOADS_MAX = 4;
let loads = 0;
/** Waiting loads. */
const waiting: Array<() => void> = [];

async function inTurn<Result>(load: () => Promise<Result>): Promise<Result> {
  if (loads >= LOADS_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  loads++;
  try {
    return await load();
  } finally {
    loads--;
    waiting.shift()?.();
  }
}

/** Events by device and time range. */
const cache = new Map<string, Promise<DeviceHistory>>();

const deviceOf = (cacheId: string): string => cacheId.slice(0, cacheId.indexOf(" "));

function cachedHistory(deviceId: string, range: Bounds): Promise<DeviceHistory> {
  const id = `${deviceId} ${range.from} ${range.to}`;
  const loaded = cache.get(id) ?? inTurn(() => loadHistory(deviceId, range));
  if (cache.size >= CACHED_MAX) cache.clear();
  cache.set(id, loaded);
  // The chart is more important than its annotations: after a failure, it shows none.
  loaded.catch(() => cache.delete(id));
  return loaded;
}

const GATHER_MS = 500;
/** Number of changes of alarms, commands or notes since the console was opened, by device. */
const changes = signal<ReadonlyMap<string, number>>(new Map());
/** Devices with changes that `publish` has not announced yet. */
const changed = new Set<string>();
const publish = coalesced(() => {
  for (const id of cache.keys()) if (changed.has(deviceOf(id))) cache.delete(id);
  const next = [...changed].map((deviceId) => [deviceId, (changes.value.get(deviceId) ?? 0) + 1] as const);
  changes.value = new Map([...changes.value, ...next]);
  changed.clear();
}, GATHER_MS);
let followers = 0;
let unsubscribe: () => void = () => undefined;

/** Returns the devices with changed alarms, commands or notes; after a lost connection, all cached devices. */
function changedBy(message: RealtimeMessage, isFirst: boolean): string[] {
  if (message.type === "snapshot") return isFirst ? [] : [...cache.keys()].map(deviceOf);
  if (message.topic === "events") return message.event === "note" ? [message.deviceId] : [];
  return message.topic === "alarms" || message.topic === "commands" ? [message.deviceId] : [];
}

/** Follows the changes of all devices with one subscription for all charts. Returns a function that ends it. */
function follow(): () => void {
  if (followers++ === 0) {
    let isFirst = true;
    unsubscribe = live.subscribe({ topics: ["alarms", "commands", "events"] }, (message) => {
      for (const deviceId of changedBy(message, isFirst)) changed.add(deviceId);
      isFirst = false;
      if (changed.size > 0) publish();
    });
  }
  return () => {
    if (--followers === 0) unsubscribe();
  };
}

/** Returns a range around the window, which is constant while the window moves a little. */
function rangeOf({ from, to }: Bounds): Bounds {
  const step = Math.max(STEP_MS_MIN, Math.floor((to - from) * STEP_SHARE));
  return { from: Math.max(0, Math.floor(from / step) * step), to: (Math.floor(to / step) + 2) * step };
}

const time = (ms: number): string => (Number.isFinite(ms) ? formatDate(ms, "stamp") : t("common.stillOpen"));

function ofAlarm({ alarm, periods }: RaisedAlarm): Annotation[] {
  const color = severityColor(alarm.severity);
  const { name, deviceName } = alarm;
  const severity = t(`severity.${alarm.severity}`);
  return periods.map(({ from, to }) => ({
    kind: "alarm",
    from,
    to,
    color,
    text: t("annotation.alarm", { severity, name, device: deviceName, from: time(from), to: time(to) }),
  }));
}

function ofNote({ deviceId, text, at, until, by }: Note, names: ReadonlyMap<string, string>): Annotation {
  const from = Date.parse(at);
  const to = until === null ? from : Date.parse(until);
  const device = names.get(deviceId) ?? deviceId;
  const shown = text.length > NOTE_CHARACTERS_MAX ? `${text.slice(0, NOTE_CHARACTERS_MAX)}…` : text;
  return {
    kind: "note",
    from,
    to,
    color: themeColor("accent"),
    text:
      to === from
        ? t("annotation.note", { text: shown, device, by, time: time(from) })
        : t("annotation.noteStretch", { text: shown, device, by, from: time(from), to: time(to) }),
  };
}

function annotationsOf(
  { alarms, commands, notes }: DeviceHistory,
  names: ReadonlyMap<string, string>,
): Annotation[] {
  const color = themeColor("primary");
  return [
    ...alarms.flatMap(ofAlarm),
    ...notes.map((note) => ofNote(note, names)),
    ...commands.map(({ method, status, createdAt }): Annotation => {
      const ts = Date.parse(createdAt);
      const state = t(`command.${status}`);
      return {
        kind: "command",
        from: ts,
        to: ts,
        color,
        text: t("annotation.command", { method, state, time: time(ts) }),
      };
    }),
  ];
}

function cutText(histories: readonly DeviceHistory[]): string | undefined {
  const sum = (countOf: (history: DeviceHistory) => number) =>
    histories.reduce((count, history) => count + countOf(history), 0);
  const shown = sum(({ alarms, commands, notes }) => alarms.length + commands.length + notes.length);
  const total = sum((history) => history.total);
  return shown < total
    ? t("annotation.cut", { shown: formatCount(shown), total: formatCount(total) })
    : undefined;
}

interface Annotations {
  readonly annotations: readonly Annotation[];
  /** Text about the shown part of all alarms, commands and notes; undefined if all are shown. */
  readonly cut: string | undefined;
}

/** Returns the alarms, commands and notes of some devices for a chart of `bounds`; none while they are disabled. */
export function useAnnotations(
  devices: ReadonlyArray<{ readonly deviceId: string; readonly name: string }>,
  bounds: Bounds,
): Annotations {
  const [histories, setHistories] = useState<readonly DeviceHistory[]>([]);
  const isOn = showsAnnotations.value && shareToken.value === undefined && devices.length <= DEVICES_MAX;
  const names = new Map(devices.map(({ deviceId, name }) => [deviceId, name]));
  const shown = isOn ? [...names.keys()] : [];
  const range = rangeOf(bounds);
  const rounds = shown.map((deviceId) => changes.value.get(deviceId) ?? 0);
  const wanted = JSON.stringify([shown, rounds, range.from, range.to]);
  useEffect(() => (isOn ? follow() : undefined), [isOn]);
  useEffect(() => {
    let isCurrent = true;
    Promise.all(shown.map((deviceId) => cachedHistory(deviceId, range))).then(
      (loaded) => isCurrent && setHistories(loaded),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [wanted]);
  return useMemo(
    () => ({
      annotations: isOn ? histories.flatMap((history) => annotationsOf(history, names)) : [],
      cut: isOn ? cutText(histories) : undefined,
    }),
    [histories, isOn, darkNow.value, language.value, JSON.stringify([...names.values()])],
  );
}
