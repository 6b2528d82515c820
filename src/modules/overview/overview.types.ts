import type { AlarmSeverity } from "../../lib/alarms/severity.ts";

/** A value of a device that the overview shows to everybody who may see the device. */
export interface Pin {
  readonly deviceId: string;
  readonly key: string;
}

/** What the overview showed at a time. */
export interface OverviewSample {
  /** Epoch ms. */
  readonly ts: number;
  readonly activeDevices: number;
  readonly openAlarms: number;
}

export type AlarmCounts = Readonly<Record<AlarmSeverity, number>>;
