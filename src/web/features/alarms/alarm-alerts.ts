import { signal } from "@preact/signals";
import { withBase } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { toast } from "../../platform/toasts.ts";

/*
 * Alerts of this browser for new alarms, as the user has chosen them.
 */

const SOUND = "lineside.alarm-sound";
const NOTIFICATIONS = "lineside.alarm-notifications";
/** Max. notifications of single alarms within one period. A flood becomes one notification with a number. */
const SINGLE_MAX = 3;
const PERIOD_MS = 10_000;
const SOUND_EVERY_MS = 3_000;

/** Returns whether notifications are possible: browsers allow them over HTTPS and on the gateway itself only. */
export const canNotify = (): boolean => typeof Notification !== "undefined" && isSecureContext;

export const hasSound = signal(readStored(SOUND) === "on");
export const hasNotifications = signal(
  readStored(NOTIFICATIONS) === "on" && canNotify() && Notification.permission === "granted",
);

let audio: AudioContext | undefined;
let playedAt = Number.NEGATIVE_INFINITY;

/** Plays two short tones. A browser is silent until the first click in the page. */
async function play(): Promise<void> {
  if (performance.now() - playedAt < SOUND_EVERY_MS) return;
  playedAt = performance.now();
  audio ??= new AudioContext();
  const state = audio;
  const isBlocked = await Promise.race([
    state.resume().then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(state.state !== "running"), 500)),
  ]);
  if (isBlocked) {
    toast("error", t("alarms.soundBlocked"));
    return;
  }
  for (const [after, frequency] of [
    [0, 880],
    [0.25, 660],
  ] as const) {
    const tone = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: 0.2 });
    tone.connect(volume).connect(audio.destination);
    tone.start(audio.currentTime + after);
    tone.stop(audio.currentTime + after + 0.2);
  }
}

export function setSound(isOn: boolean): void {
  hasSound.value = isOn;
  writeStored(SOUND, isOn ? "on" : undefined);
  if (isOn) void play();
}

export async function setNotifications(isOn: boolean): Promise<void> {
  const isAllowed = isOn && (await Notification.requestPermission()) === "granted";
  hasNotifications.value = isAllowed;
  writeStored(NOTIFICATIONS, isAllowed ? "on" : undefined);
  if (isOn && !isAllowed) toast("error", t("alarms.notificationsRefused"));
}

interface NewAlarm {
  readonly alarmId: string;
  readonly name: string;
  readonly message: string;
}

let period = 0;
let inPeriod = 0;

function notify({ alarmId, name, message }: NewAlarm): void {
  const current = Math.floor(performance.now() / PERIOD_MS);
  inPeriod = current === period ? inPeriod + 1 : 1;
  period = current;
  const isSingle = inPeriod <= SINGLE_MAX;
  const title = isSingle ? name : t("alarms.newCount", { count: String(inPeriod) });
  const notification = new Notification(title, {
    tag: isSingle ? alarmId : NOTIFICATIONS,
    ...(isSingle && { body: message }),
  });
  notification.onclick = () => {
    focus();
    location.assign(withBase(isSingle ? `/alarms/${alarmId}` : "/alarms"));
  };
}

/** Signals a new alarm by a sound, and by a notification if the window is not in view. */
export function tellOfAlarm(alarm: NewAlarm): void {
  if (hasSound.value) void play();
  if (!hasNotifications.value || !document.hidden) return;
  try {
    notify(alarm);
  } catch {
    // Chrome on Android grants the permission, and lets only service workers notify.
    hasNotifications.value = false;
    toast("error", t("alarms.notificationsRefused"));
  }
}
