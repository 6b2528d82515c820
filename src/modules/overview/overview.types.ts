import type { AlarmSeverity } from "../../lib/alarms/severity.ts";

/** Value of a device on the overview, for all users who may see the device. */
export interface Pin {
  readonly deviceId: string;
  readonly key: string;
}

/** Sample of the overview's figures. */
export interface OverviewSample {
  /** Epoch ms. */
  readonly ts: number;
  readonly activeDevices: number;
  readonly openAlarms: number;
}

export type AlarmCounts = Readonly<Record<AlarmSeverity, number>>;
