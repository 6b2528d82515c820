import { t } from "elysia";
import { alarmSeverities } from "../../lib/severity.ts";
import { wholeNumber } from "../wire.schemas.ts";

/** Values that one screen has room for. */
const PINS_MAX = 12;

const pin = t.Object(
  {
    deviceId: t.String({ minLength: 1, maxLength: 64 }),
    key: t.String({ minLength: 1, maxLength: 256, description: "telemetry key" }),
  },
  { title: "Pin" },
);

export const pinsBody = t.Object({ pins: t.Array(pin, { maxItems: PINS_MAX }) }, { title: "OverviewPins" });

const [INDETERMINATE, WARNING, MINOR, MAJOR, CRITICAL] = alarmSeverities;
const counts = t.Object({
  [CRITICAL]: wholeNumber(),
  [MAJOR]: wholeNumber(),
  [MINOR]: wholeNumber(),
  [WARNING]: wholeNumber(),
  [INDETERMINATE]: wholeNumber(),
});

export const overviewBody = t.Object(
  {
    devices: t.Object({ total: wholeNumber(), active: wholeNumber() }),
    openAlarms: counts,
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
