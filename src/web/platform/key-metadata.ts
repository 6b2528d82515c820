// Metadata of telemetry keys: loaded once per displayed device, and again when somebody changes it.
import { signal } from "@preact/signals";
import type { KeyMetadata, KeyMetadataMap } from "../../lib/keys/key-metadata.ts";
import { post } from "./api-client.ts";
import { live } from "./live.ts";
import { redrawOn } from "./redraw-on.ts";
import { shareToken } from "./session.ts";

export interface ResolvedKeys {
  readonly devices: ReadonlyArray<{ readonly deviceId: string; readonly profileId: string }>;
  readonly profiles: ReadonlyArray<{
    readonly profileId: string;
    readonly keyMetadata: readonly KeyMetadata[];
  }>;
  /** Devices that did not fit into the response. */
  readonly rest?: readonly string[];
}

const DEVICES_PER_REQUEST = 1_000;
/** Changes within this time lead to one request. */
const CHANGE_DELAY_MS = 500;

/** Increases when metadata has arrived or is out of date, so that shown values are drawn again. */
export const keyMetadataVersion = signal(0);
/** Number of the current round: metadata that an earlier round requested is requested again. */
let round = 0;
/** Round of the last request by device. */
const askedIn = new Map<string, number>();
/** Devices to include in the next request. */
const wanted = new Set<string>();
/** Device → its profile. */
const profileOf = new Map<string, string>();
const metadataByProfile = new Map<string, KeyMetadataMap>();
/** Device → callbacks that wait for its metadata; `undefined` after a response. */
const waiting = new Map<string, (() => void)[] | undefined>();
let changeTimer: ReturnType<typeof setTimeout> | undefined;
let isListening = false;
/** True after the first snapshot: a later one follows a lost connection. */
let isSubscribed = false;

/** Requests the profiles of devices with their metadata. Devices that do not exist are left out. */
export const resolveKeys = (deviceIds: readonly string[]) =>
  post<ResolvedKeys>("/api/key-metadata/resolve", { deviceIds });

async function load(): Promise<void> {
  const deviceIds = [...wanted].slice(0, DEVICES_PER_REQUEST);
  for (const id of deviceIds) wanted.delete(id);
  if (wanted.size > 0) queueMicrotask(load);
  // If loading fails, values have no units; the next change or page retries.
  const response = await resolveKeys(deviceIds).catch(() => undefined);
  if (response !== undefined) takeKeyMetadata(response);
  for (const id of deviceIds) {
    for (const proceed of waiting.get(id) ?? []) proceed();
    waiting.set(id, undefined);
  }
  if (response === undefined) return;
  if (wanted.size === 0 && response.rest !== undefined) queueMicrotask(load);
  for (const id of response.rest ?? []) wanted.add(id);
}

/** Takes over metadata that was part of another response. */
export function takeKeyMetadata({ devices, profiles }: ResolvedKeys): void {
  for (const { deviceId, profileId } of devices) profileOf.set(deviceId, profileId);
  for (const { profileId, keyMetadata } of profiles)
    metadataByProfile.set(profileId, new Map(keyMetadata.map((metadata) => [metadata.key, metadata])));
  keyMetadataVersion.value++;
}

/** Requests the metadata of all visible devices again. */
export function refreshKeyMetadata(): void {
  round++;
  keyMetadataVersion.value++;
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  live.subscribe({ topics: ["events"] }, (message) => {
    const isRenewed = message.type === "snapshot" && isSubscribed;
    if (message.type === "snapshot") isSubscribed = true;
    const isChange =
      message.type !== "snapshot" && message.topic === "events" && message.event === "key-metadata";
    if (!isRenewed && !isChange) return;
    clearTimeout(changeTimer);
    changeTimer = setTimeout(refreshKeyMetadata, CHANGE_DELAY_MS);
  });
}

/** Returns the profile of a device, if it is loaded. A component that reads it is drawn again when it changes. */
export function profileOfDevice(deviceId: string): string | undefined {
  redrawOn(keyMetadataVersion);
  // On a shared dashboard it comes with the dashboard.
  if (askedIn.get(deviceId) !== round && shareToken.value === undefined) {
    askedIn.set(deviceId, round);
    if (wanted.size === 0) queueMicrotask(load);
    wanted.add(deviceId);
    listen();
  }
  return profileOf.get(deviceId);
}

/** Resolves once the request for the metadata of a device has ended, successfully or not. */
export function keyMetadataReady(deviceId: string): Promise<void> {
  profileOfDevice(deviceId);
  const isAnswered = waiting.has(deviceId) && waiting.get(deviceId) === undefined;
  if (isAnswered || shareToken.value !== undefined) return Promise.resolve();
  return new Promise((proceed) => waiting.set(deviceId, [...(waiting.get(deviceId) ?? []), proceed]));
}

/** Returns the metadata of all keys of a device, if it is loaded. A component that reads it is drawn again when it changes. */
export const keysOfDevice = (deviceId: string): KeyMetadataMap | undefined =>
  metadataByProfile.get(profileOfDevice(deviceId) ?? "");

export const metadataOf = (deviceId: string, key: string): KeyMetadata | undefined =>
  keysOfDevice(deviceId)?.get(key);

export const keyName = (deviceId: string, key: string): string => metadataOf(deviceId, key)?.name ?? key;
