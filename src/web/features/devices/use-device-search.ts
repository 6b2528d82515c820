import { useEffect, useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { type DeviceListQuery, devicesApi } from "./devices-api.ts";

const TYPING_PAUSE_MS = 120;

/** Returns matching devices of the server, requested after a short pause in typing; undefined before the first response. */
export function useDeviceSearch(
  text: string,
  limit: number,
  filter: Pick<DeviceListQuery, "role" | "attribute"> = {},
): readonly DeviceRow[] | undefined {
  const [rows, setRows] = useState<readonly DeviceRow[] | undefined>(undefined);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      devicesApi.list({ limit, offset: 0, search: text.trim(), ...filter }).then(
        (response) => current && setRows(response.rows),
        () => current && setRows([]),
      );
    }, TYPING_PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text]);
  return rows;
}
