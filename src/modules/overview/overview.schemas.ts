import type { TInteger } from "@sinclair/typebox";
import { t } from "elysia";
import { type AlarmSeverity, severitiesDescending } from "../../lib/alarms/severity.ts";
import { wholeNumber } from "../api/wire.schemas.ts";

/** Max. pins, as many as fit on one screen. */
const PINS_MAX = 12;

const pin = t.Object(
  {
    deviceId: t.String({ minLength: 1, maxLength: 64 }),
    key: t.String({ minLength: 1, maxLength: 256, description: "telemetry key" }),
  },
  { title: "Pin" },
);

export const pinsBody = t.Object({ pins: t.Array(pin, { maxItems: PINS_MAX }) }, { title: "OverviewPins" });

const openAlarmCounts = t.Object(
  Object.fromEntries(severitiesDescending.map((severity) => [severity, wholeNumber()])) as Record<
    AlarmSeverity,
    TInteger
  >, // of all severities
);

export const overviewBody = t.Object(
  {
    devices: t.Object(
      {
        total: wholeNumber(),
        active: wholeNumber(),
        inactive: wholeNumber(),
        neverConnected: wholeNumber(),
        maintenance: wholeNumber(),
      },
      { description: "devices by state, without gateways' own devices" },
    ),
    openAlarms: openAlarmCounts,
    history: t.Array(
      t.Object({
        ts: wholeNumber({ description: "epoch ms" }),
        activeDevices: wholeNumber(),
        openAlarms: wholeNumber(),
      }),
      { description: "one sample for each ten minutes of the last day, the oldest first" },
    ),
    pins: t.Array(pin),
  },
  { title: "Overview" },
);
