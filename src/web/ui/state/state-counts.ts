import { DEVICE_STATES, type DeviceState } from "../../../lib/devices/device-state.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";

/** Returns the number of devices in each state, such as "12 active · 1 in maintenance". */
export const stateCountsText = (counts: Partial<Record<DeviceState, number>>): string =>
  DEVICE_STATES.filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => t(`stateCount.${state}`, { count: formatCount(counts[state] ?? 0) }))
    .join(" · ");
